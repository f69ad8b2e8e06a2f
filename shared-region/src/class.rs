//! What kinds of memory requests are told apart.

/// A class of device memory, by the call that takes it.
///
/// The numbers are those of the region's counters: a new class gets the next one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum MemoryClass {
    /// `cuMemAlloc`.
    Linear = 0,
    /// `cuMemAllocManaged`.
    Managed = 1,
    /// `cuMemAllocPitch`.
    Pitched = 2,
    /// Stream-ordered memory, `cuMemAllocAsync` and the like.
    Pool = 3,
    /// `cuMemCreate`.
    Physical = 4,
    /// Arrays and mipmapped arrays.
    Array = 5,
    /// Graphs: their allocations, and what they take when they are instantiated or launched.
    Graph = 6,
    /// Contexts.
    Context = 7,
    /// Modules and libraries: code and its variables.
    Module = 8,
    /// What is only seen afterwards: the memory of kernels, such as stacks and heap.
    Observed = 9,
}

impl MemoryClass {
    /// All classes, by number.
    pub const ALL: [Self; 10] = [
        Self::Linear,
        Self::Managed,
        Self::Pitched,
        Self::Pool,
        Self::Physical,
        Self::Array,
        Self::Graph,
        Self::Context,
        Self::Module,
        Self::Observed,
    ];

    /// The class with this number; `None` for one that has none, as rubbish in a region may.
    #[must_use]
    pub fn new(number: u64) -> Option<Self> {
        Self::ALL.get(usize::try_from(number).ok()?).copied()
    }

    /// The number.
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// What people call it, one word.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Linear => "linear",
            Self::Managed => "managed",
            Self::Pitched => "pitched",
            Self::Pool => "pool",
            Self::Physical => "physical",
            Self::Array => "array",
            Self::Graph => "graph",
            Self::Context => "context",
            Self::Module => "module",
            Self::Observed => "observed",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_class_is_found_by_its_number() {
        for (number, class) in (0..).zip(MemoryClass::ALL) {
            assert_eq!((class.index() as u64, MemoryClass::new(number)), (number, Some(class)));
        }
        assert_eq!(MemoryClass::new(10), None);
        assert_eq!(MemoryClass::new(u64::MAX), None);
    }
}
