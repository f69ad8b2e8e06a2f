//! Enumerations as integers with the header's names for their values.

use super::c_uint;

/// A newtype over the C integer, the header's constants without their common prefix, and the list of both for
/// `cargo xtask table`.
macro_rules! integers {
    ($(#[$doc:meta])* $name:ident $prefix:literal: $($constant:ident = $value:literal,)*) => {
        $(#[$doc])*
        #[repr(transparent)]
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub c_uint);

        impl $name {
            $(
                #[doc = concat!("`", $prefix, stringify!($constant), "`")]
                pub const $constant: Self = Self($value);
            )*

            /// The header's names and their values.
            pub const NAMED: &[(&str, u32)] = &[$((concat!($prefix, stringify!($constant)), $value)),*];
        }
    };
}
pub(crate) use integers;

/// Enumerations of which no value is needed by name.
macro_rules! plain_integers {
    ($($(#[$doc:meta])* $name:ident)*) => { $(
        $(#[$doc])*
        pub type $name = c_uint;
    )* };
}
pub(crate) use plain_integers;

integers! {
    /// Which kind of memory a copy reads or writes.
    CUmemorytype "CU_MEMORYTYPE_":
    HOST = 1,
    DEVICE = 2,
    ARRAY = 3,
    UNIFIED = 4,
}

integers! {
    /// What a memory location is a place of.
    CUmemLocationType "CU_MEM_LOCATION_TYPE_":
    INVALID = 0,
    DEVICE = 1,
    HOST = 2,
    HOST_NUMA = 3,
    HOST_NUMA_CURRENT = 4,
    INVISIBLE = 5,
    DEVICE_LOCALITY_DOMAIN = 6,
}

integers! {
    /// What kind of physical memory to create.
    CUmemAllocationType "CU_MEM_ALLOCATION_TYPE_":
    INVALID = 0,
    PINNED = 1,
    MANAGED = 2,
}

integers! {
    /// How physical memory can be exported; values combine as bits.
    CUmemAllocationHandleType "CU_MEM_HANDLE_TYPE_":
    NONE = 0,
    POSIX_FILE_DESCRIPTOR = 1,
    WIN32 = 2,
    WIN32_KMT = 4,
    FABRIC = 8,
}

integers! {
    /// What a location may do with a mapping.
    CUmemAccess_flags "CU_MEM_ACCESS_FLAGS_":
    PROT_NONE = 0,
    PROT_READ = 1,
    PROT_READWRITE = 3,
}

integers! {
    /// Which granularity is asked for.
    CUmemAllocationGranularity_flags "CU_MEM_ALLOC_GRANULARITY_":
    MINIMUM = 0,
    RECOMMENDED = 1,
}

integers! {
    /// An attribute of a memory pool.
    CUmemPool_attribute "CU_MEMPOOL_ATTR_":
    REUSE_FOLLOW_EVENT_DEPENDENCIES = 1,
    REUSE_ALLOW_OPPORTUNISTIC = 2,
    REUSE_ALLOW_INTERNAL_DEPENDENCIES = 3,
    RELEASE_THRESHOLD = 4,
    RESERVED_MEM_CURRENT = 5,
    RESERVED_MEM_HIGH = 6,
    USED_MEM_CURRENT = 7,
    USED_MEM_HIGH = 8,
    ALLOCATION_TYPE = 9,
    EXPORT_HANDLE_TYPES = 10,
    LOCATION_ID = 11,
    LOCATION_TYPE = 12,
    MAX_POOL_SIZE = 13,
    HW_DECOMPRESS_ENABLED = 14,
    LOCALITY_DOMAIN_ID = 15,
}

integers! {
    /// An attribute of the memory that graphs of a device hold.
    CUgraphMem_attribute "CU_GRAPH_MEM_ATTR_":
    USED_MEM_CURRENT = 0,
    USED_MEM_HIGH = 1,
    RESERVED_MEM_CURRENT = 2,
    RESERVED_MEM_HIGH = 3,
}

integers! {
    /// A limit of a context.
    CUlimit "CU_LIMIT_":
    STACK_SIZE = 0,
    PRINTF_FIFO_SIZE = 1,
    MALLOC_HEAP_SIZE = 2,
    DEV_RUNTIME_SYNC_DEPTH = 3,
    DEV_RUNTIME_PENDING_LAUNCH_COUNT = 4,
    MAX_L2_FETCH_GRANULARITY = 5,
    PERSISTING_L2_CACHE_SIZE = 6,
    SHMEM_SIZE = 7,
    CIG_ENABLED = 8,
    CIG_SHMEM_FALLBACK_ENABLED = 9,
    PER_BLOCK_MEMORY_SIZE = 10,
}

integers! {
    /// Whether a stream is being captured.
    CUstreamCaptureStatus "CU_STREAM_CAPTURE_STATUS_":
    NONE = 0,
    ACTIVE = 1,
    INVALIDATED = 2,
}

integers! {
    /// Which unsafe calls a capture forbids to whom.
    CUstreamCaptureMode "CU_STREAM_CAPTURE_MODE_":
    GLOBAL = 0,
    THREAD_LOCAL = 1,
    RELAXED = 2,
}

integers! {
    /// Advice about managed memory.
    CUmem_advise "CU_MEM_ADVISE_":
    SET_READ_MOSTLY = 1,
    UNSET_READ_MOSTLY = 2,
    SET_PREFERRED_LOCATION = 3,
    UNSET_PREFERRED_LOCATION = 4,
    SET_ACCESSED_BY = 5,
    UNSET_ACCESSED_BY = 6,
}

integers! {
    /// What can be asked of a managed range.
    CUmem_range_attribute "CU_MEM_RANGE_ATTRIBUTE_":
    READ_MOSTLY = 1,
    PREFERRED_LOCATION = 2,
    ACCESSED_BY = 3,
    LAST_PREFETCH_LOCATION = 4,
    PREFERRED_LOCATION_TYPE = 5,
    PREFERRED_LOCATION_ID = 6,
    LAST_PREFETCH_LOCATION_TYPE = 7,
    LAST_PREFETCH_LOCATION_ID = 8,
}

integers! {
    /// When code of a module reaches the device.
    CUmoduleLoadingMode "CU_MODULE_":
    EAGER_LOADING = 1,
    LAZY_LOADING = 2,
}

integers! {
    /// What `cuGetProcAddress_v2` says of a name.
    CUdriverProcAddressQueryResult "CU_GET_PROC_ADDRESS_":
    SUCCESS = 0,
    SYMBOL_NOT_FOUND = 1,
    VERSION_NOT_SUFFICIENT = 2,
}

plain_integers! {
    /// What can be asked of two devices together.
    CUdevice_P2PAttribute
    /// Kind of an execution affinity.
    CUexecAffinityType
    /// Kind of a resource that green contexts divide.
    CUdevResourceType
    /// Preference between L1 cache and shared memory.
    CUfunc_cache
    /// Bank size of shared memory.
    CUsharedconfig
    /// Whether lazily loaded code is on the device.
    CUfunctionLoadingState
    /// Option of the just-in-time compiler.
    CUjit_option
    /// Kind of linker input.
    CUjitInputType
    /// Option of a library load.
    CUlibraryOption
    /// Kind of handle asked for an address range.
    CUmemRangeHandleType
    /// Which granularity of a multicast object is asked for.
    CUmulticastGranularity_flags
    /// Kind of handle that names a logical endpoint to another process.
    CUlogicalEndpointIpcHandleType
    /// Identity of a stream attribute.
    CUstreamAttrID
    /// Identity of a launch attribute.
    CUlaunchAttributeID
    /// How an update of an executable graph ended.
    CUgraphExecUpdateResult
    /// What a capture into an existing graph found at a node.
    CUgraphRecaptureStatus
    /// State of a process with respect to checkpoints.
    CUprocessState
}
