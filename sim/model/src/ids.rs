//! Names of the things in a machine. An id is unique in its machine and never used again.

use std::fmt;

use serde::{Deserialize, Serialize};

macro_rules! id {
    ($($(#[$doc:meta])* $name:ident($inner:ty);)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub $inner);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    )*};
}

id! {
    /// Position of a device in the machine, in PCI order from 0.
    DeviceIndex(u32);
    /// One user of the machine: what a process holds through one loaded driver library.
    ProcessId(u64);
    /// A context.
    ContextId(u64);
    /// A stream.
    StreamId(u64);
    /// An event.
    EventId(u64);
    /// An allocation of device or managed memory.
    AllocationId(u64);
    /// A range of device memory that allocations of one context or one pool share.
    SlabId(u64);
    /// A pool of stream-ordered memory.
    PoolId(u64);
    /// A graph that can be launched and has memory of its own.
    GraphExecId(u64);
    /// A piece of physical memory that several processes may hold.
    PieceId(u64);
    /// A host function that a stream has reached and waits for.
    HostCallId(u64);
}
