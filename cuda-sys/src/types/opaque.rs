//! Handles, callbacks, and structures whose fields nobody here looks at.

use super::{CUgraphNodeParams, CUgraphRecaptureStatus, c_int, c_void};
use crate::CUresult;

/// Distinct pointer types.
macro_rules! handles {
    ($($(#[$doc:meta])* $name:ident)*) => { $(
        $(#[$doc])*
        #[repr(transparent)]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub struct $name(pub *mut core::ffi::c_void);
    )* };
}

pub(crate) use handles;

handles! {
    /// A context.
    CUcontext
    /// A part of a device's SMs and what runs on it.
    CUgreenCtx
    /// A description of the resources a green context takes.
    CUdevResourceDesc
    /// A loaded module.
    CUmodule
    /// A kernel, bound to a context.
    CUfunction
    /// A loaded library, independent of contexts.
    CUlibrary
    /// A kernel of a library.
    CUkernel
    /// A linker invocation in progress.
    CUlinkState
    /// A stream; 0, 1 and 2 are the default streams.
    CUstream
    /// An event.
    CUevent
    /// A pool of stream-ordered memory.
    CUmemoryPool
    /// An array.
    CUarray
    /// A mipmapped array.
    CUmipmappedArray
    /// A texture reference.
    CUtexref
    /// A surface reference.
    CUsurfref
    /// Memory of another API.
    CUexternalMemory
    /// A graph.
    CUgraph
    /// A node of a graph.
    CUgraphNode
    /// A graph that can be launched.
    CUgraphExec
}

/// Types that only pointers are made of.
macro_rules! opaque {
    ($($(#[$doc:meta])* $name:ident)*) => { $(
        $(#[$doc])*
        #[repr(C)]
        #[derive(Debug)]
        pub struct $name([u8; 0]);
    )* };
}

pub(crate) use opaque;

opaque! {
    /// How many SMs a context may use, and the like.
    CUexecAffinityParam
    /// What a context is created with.
    CUctxCreateParams
    /// What a multicast object is created with.
    CUmulticastObjectProp
    /// What a logical endpoint is created with.
    CUlogicalEndpointProp
    /// A handle of another API.
    CUDA_EXTERNAL_MEMORY_HANDLE_DESC
    /// A linear view of imported memory.
    CUDA_EXTERNAL_MEMORY_BUFFER_DESC
    /// An array view of imported memory.
    CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC
    /// The value of a stream attribute.
    CUstreamAttrValue
    /// One of a batch of memory operations.
    CUstreamBatchMemOpParams
    /// What a capture into a graphics command list needs.
    CUstreamCigCaptureParams
    /// Kind of an edge of a graph.
    CUgraphEdgeData
    /// VDPAU's lookup function.
    VdpGetProcAddress
    /// What an update of an executable graph met.
    CUgraphExecUpdateResultInfo
    /// Arguments of a checkpoint's lock.
    CUcheckpointLockArgs
    /// Arguments of a checkpoint.
    CUcheckpointCheckpointArgs
    /// Arguments of a restore.
    CUcheckpointRestoreArgs
    /// Arguments of a checkpoint's unlock.
    CUcheckpointUnlockArgs
}

/// A host function that a stream runs.
pub type CUhostFn = Option<unsafe extern "C" fn(userData: *mut c_void)>;
/// A host function that a stream runs, told the stream's state.
pub type CUstreamCallback =
    Option<unsafe extern "C" fn(hStream: CUstream, status: CUresult, userData: *mut c_void)>;
/// Dynamic shared memory, in bytes, that a block of that many threads needs.
pub type CUoccupancyB2DSize = Option<unsafe extern "C" fn(blockSize: c_int) -> usize>;
/// What decides about each node while a stream is captured again into a graph.
pub type CUgraphRecaptureCallback = Option<
    unsafe extern "C" fn(
        data: *mut c_void,
        node: CUgraphNode,
        originalParams: *const CUgraphNodeParams,
        recaptureParams: *const CUgraphNodeParams,
        status: CUgraphRecaptureStatus,
    ) -> CUresult,
>;
