//! What lies at a range of addresses.

use sim_kernel::{AllocationId, ContextId};

/// What kind of memory an allocation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Device memory.
    Device,
    /// Device memory at an address of 32 bits, for the entry points that have no room for more.
    Low,
    /// Managed memory.
    Managed,
    /// Device memory of a variable of a module.
    Code,
    /// Device memory of another process, which this one has opened.
    Opened,
    /// Device memory of an array, which is told nobody's address.
    Array,
}

/// What an allocation belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Home {
    /// A context, which takes it along.
    Context(ContextId),
    /// A pool.
    Pool {
        /// Its handle.
        handle: usize,
        /// The ordinal of its device.
        device: i32,
    },
    /// A graph, whose nodes give the memory to it and take it away.
    Graph {
        /// The ordinal of the device.
        device: i32,
    },
}

/// An allocation.
#[derive(Clone, Debug)]
pub(crate) struct Allocation {
    /// The first address.
    pub(crate) start: u64,
    /// Bytes that may be used.
    pub(crate) bytes: u64,
    /// What the machine calls it.
    pub(crate) id: AllocationId,
    /// What it belongs to.
    pub(crate) home: Home,
    /// What it is.
    pub(crate) kind: Kind,
    /// Addresses that are its own, from the start; 0 when they are a slab's.
    pub(super) own: u64,
}
