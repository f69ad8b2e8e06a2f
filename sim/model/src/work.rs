//! What a process asks of a device, and what it is given.

use serde::{Deserialize, Serialize};

use crate::{
    AllocationId, Bytes, ContextId, DeviceIndex, EventId, HostCallId, Nanos, Permille, PieceId, SlabId,
    StreamId,
};

/// A context as it is created.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Context {
    /// Its name in later requests.
    pub id: ContextId,
    /// Its legacy default stream (handles 0 and 1): waits for, and holds back, every blocking stream of the context.
    /// It lives as long as the context.
    pub legacy_stream: StreamId,
}

/// How a stream relates to the legacy default stream of its context.
///
/// A thread's own default stream (handle 2) is a [`StreamKind::Blocking`] stream that the driver library creates for
/// that thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum StreamKind {
    /// Waits for earlier work of the legacy default stream, which waits for earlier work of this one.
    Blocking,
    /// Independent of it (`CU_STREAM_NON_BLOCKING`).
    NonBlocking,
}

/// How an event is created.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventFlags {
    /// False for `CU_EVENT_DISABLE_TIMING`: such an event cannot be one end of an elapsed time.
    pub timing: bool,
}

/// A kernel: it takes a stated time and does nothing else.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kernel {
    /// How long it runs when it has the multiprocessors it asks for.
    pub duration: Nanos,
    /// The share of the device's multiprocessors it fills, 1 to 1000. Kernels of one process that together ask for
    /// more than the device has are stretched alike.
    pub sm: Permille,
    /// The share of the device's memory bandwidth it uses, 0 to 1000: reported, never a limit.
    pub memory: Permille,
}

/// Which way a copy goes, hence which engine carries it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Direction {
    /// From host to device memory.
    HostToDevice,
    /// From device to host memory.
    DeviceToHost,
    /// Within one device or between two.
    DeviceToDevice,
}

/// One entry of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Operation {
    /// Run a kernel.
    Kernel(Kernel),
    /// Copy so many bytes. The model only takes the time of it: the bytes are the driver library's.
    Copy(Direction, Bytes),
    /// Set so many bytes: runs on the multiprocessors and fills the device.
    Memset(Bytes),
    /// Record the event: it completes when everything before it in the stream has.
    Record(EventId),
    /// Hold the stream until the last record of the event that was issued before now is complete.
    Wait(EventId),
    /// Call a function of the host: the stream is held until the host says that it returned.
    HostFunction,
}

/// What is to be allocated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum AllocationRequest {
    /// So many bytes of device memory (`cuMemAlloc`, or what an array takes).
    Linear {
        /// At least 1.
        bytes: Bytes,
    },
    /// Rows of device memory that each start at a multiple of the pitch (`cuMemAllocPitch`).
    Pitched {
        /// Bytes used of a row, at least 1.
        row: Bytes,
        /// Rows, at least 1.
        rows: u64,
    },
    /// So many bytes of managed memory (`cuMemAllocManaged`): device memory only where a device touched it.
    Managed {
        /// At least 1.
        bytes: Bytes,
    },
    /// So many bytes of device memory for a module's code or one of its variables: no allocation that the program asked
    /// for.
    Code {
        /// At least 1.
        bytes: Bytes,
    },
    /// So many bytes of device memory for what the kernels of a context need beyond what every context has: larger stacks,
    /// a heap, a longer buffer for what they print, a partition of their own. Always chunks of their own.
    Runtime {
        /// At least 1.
        bytes: Bytes,
    },
}

/// Where a new allocation is. Addresses are the driver library's to choose.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Placement {
    /// Its name in later requests.
    pub id: AllocationId,
    /// Bytes the allocation can hold: those asked for, with pitched rows at their pitch.
    pub bytes: Bytes,
    /// Bytes by which the device's free memory fell: 0 when the allocation found room in an existing slab.
    pub taken: Bytes,
    /// Distance between rows of a pitched allocation, a multiple of 512 bytes; 0 otherwise.
    pub pitch: Bytes,
    /// The slab it lies in, when it is small. An allocation without one starts at a chunk of its own.
    pub slab: Option<SlabPlace>,
}

/// Place of a small allocation. Allocations of one slab share one chunk, so they share one range of addresses: the
/// library reserves a chunk of addresses when it first meets a slab and drops it when a free reports it empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SlabPlace {
    /// The slab.
    pub slab: SlabId,
    /// Offset of the allocation in it, a multiple of 512 bytes.
    pub offset: Bytes,
}

/// A new allocation of a pool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PoolPlacement {
    /// Where it is: always in a slab, which is the pool's.
    pub placement: Placement,
    /// Bytes of that slab: so many addresses it needs.
    pub slab_bytes: Bytes,
    /// Slabs that pools of the process gave back since its last allocation from one; their addresses can be dropped.
    pub gone: Vec<SlabId>,
}

/// What a pool holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PoolState {
    /// Device memory that it has.
    pub reserved: Bytes,
    /// Peak of `reserved` since the last reset.
    pub reserved_peak: Bytes,
    /// Of this, what allocations use.
    pub used: Bytes,
    /// Peak of `used` since the last reset.
    pub used_peak: Bytes,
    /// What it keeps at a synchronisation.
    pub threshold: Bytes,
}

/// What a process has of a device for its graphs' memory nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GraphMemory {
    /// Device memory that it has.
    pub reserved: Bytes,
    /// Peak of `reserved` since the last reset.
    pub reserved_peak: Bytes,
    /// Of this, what a graph has mapped or an allocation uses.
    pub used: Bytes,
    /// Peak of `used` since the last reset.
    pub used_peak: Bytes,
}

/// Where the contents of a piece are in the machine's store, a file that stands for the memory of all its devices. No part
/// of it is used twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoreRange {
    /// The first byte.
    pub offset: Bytes,
    /// How many.
    pub bytes: Bytes,
}

/// A piece of physical memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PieceState {
    /// Its name in later requests.
    pub id: PieceId,
    /// Where it is; `None`: memory of the host.
    pub device: Option<DeviceIndex>,
    /// Its contents; so many bytes it has.
    pub range: StoreRange,
}

/// What a free gave back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Freed {
    /// Bytes by which the device's free memory grew.
    pub returned: Bytes,
    /// The slab that this free emptied; its addresses can be dropped.
    pub slab: Option<SlabId>,
}

/// Where managed memory is to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Location {
    /// In the memory of a device.
    Device(DeviceIndex),
    /// In the memory of the host.
    Host,
}

/// A host function that is due: everything before it in its stream is complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostCall {
    /// To be named when the function returned.
    pub id: HostCallId,
    /// The stream that waits for it. Calls of one stream come in the order in which they were enqueued.
    pub stream: StreamId,
}
