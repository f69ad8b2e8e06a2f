//! Host memory that the driver allocates or that the program registers: plain memory of the process.

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::collections::BTreeMap;
use std::sync::Mutex;

use cuda_sys::CUresult;

use super::host_pool::HostPools;
use crate::handles::lock;
use crate::outcome::Outcome;

/// Real pinned memory comes in pages.
const PAGE: usize = 4096;

/// How a block came to be known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Owner {
    /// Allocated by the driver.
    Driver,
    /// The program's own, registered.
    Program,
    /// Allocated from a pool of this handle.
    Pool(usize),
}

/// A block of host memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Block {
    /// The first address.
    pub(crate) start: usize,
    /// Its size.
    pub(crate) bytes: usize,
    /// `cuMemHostAlloc` or `cuMemHostRegister` flags.
    pub(crate) flags: u32,
    /// The handle of the context it was made in.
    pub(crate) context: usize,
    owner: Owner,
}

/// The blocks, by first address, and the pools.
#[derive(Debug, Default)]
pub(crate) struct HostMemory {
    blocks: Mutex<BTreeMap<usize, Block>>,
    /// Pools of it.
    pub(crate) pools: HostPools,
}

impl HostMemory {
    /// Allocates a block, filled with zeros.
    pub(crate) fn allocate(&self, bytes: usize, flags: u32, context: usize) -> Outcome<usize> {
        self.allocate_as(Block { start: 0, bytes, flags, context, owner: Owner::Driver })
    }

    /// Allocates a block of a pool, filled with zeros.
    pub(super) fn allocate_for_pool(&self, bytes: usize, pool: usize) -> Outcome<usize> {
        self.allocate_as(Block { start: 0, bytes, flags: 0, context: 0, owner: Owner::Pool(pool) })
    }

    fn allocate_as(&self, block: Block) -> Outcome<usize> {
        if block.bytes == 0 {
            return Err(CUresult::INVALID_VALUE);
        }
        // SAFETY: the size is not zero.
        let memory = unsafe { alloc_zeroed(layout(block.bytes).ok_or(CUresult::OUT_OF_MEMORY)?) };
        if memory.is_null() {
            return Err(CUresult::OUT_OF_MEMORY);
        }
        let start = memory.expose_provenance();
        lock(&self.blocks).insert(start, Block { start, ..block });
        Ok(start)
    }

    /// Frees a block that `allocate` gave.
    pub(crate) fn free(&self, start: usize) -> Outcome {
        let block = self.take(start, |owner| owner == Owner::Driver).ok_or(CUresult::INVALID_VALUE)?;
        release(&block).ok_or(CUresult::INVALID_VALUE)
    }

    /// Frees a block of a pool, and says of which and how large it was.
    pub(super) fn free_of_pool(&self, start: usize) -> Option<(usize, usize)> {
        let block = self.take(start, |owner| matches!(owner, Owner::Pool(_)))?;
        release(&block)?;
        if let Owner::Pool(pool) = block.owner { Some((pool, block.bytes)) } else { None }
    }

    /// Registers memory of the program; 712 when part of it is known already.
    pub(crate) fn register(&self, start: usize, bytes: usize, flags: u32, context: usize) -> Outcome {
        let end = start.checked_add(bytes).filter(|_| start != 0 && bytes != 0);
        let end = end.ok_or(CUresult::INVALID_VALUE)?;
        let mut blocks = lock(&self.blocks);
        if blocks.range(..end).next_back().is_some_and(|(_, block)| block.start + block.bytes > start) {
            return Err(CUresult::HOST_MEMORY_ALREADY_REGISTERED);
        }
        blocks.insert(start, Block { start, bytes, flags, context, owner: Owner::Program });
        Ok(())
    }

    /// Undoes `register`; 713 for memory that is not registered.
    pub(crate) fn unregister(&self, start: usize) -> Outcome {
        self.take(start, |owner| owner == Owner::Program)
            .map(|_| ())
            .ok_or(CUresult::HOST_MEMORY_NOT_REGISTERED)
    }

    /// The block that an address lies in.
    pub(crate) fn holding(&self, address: usize) -> Option<Block> {
        let blocks = lock(&self.blocks);
        let (_, block) = blocks.range(..=address).next_back()?;
        (address - block.start < block.bytes).then_some(*block)
    }

    fn take(&self, start: usize, is_owner: impl Fn(Owner) -> bool) -> Option<Block> {
        let mut blocks = lock(&self.blocks);
        blocks.get(&start).filter(|block| is_owner(block.owner))?;
        blocks.remove(&start)
    }
}

/// Gives a block's memory back, which the table has given up before, so once only.
fn release(block: &Block) -> Option<()> {
    let layout = layout(block.bytes)?;
    // SAFETY: `allocate_as` got this memory for this layout.
    unsafe { dealloc(std::ptr::with_exposed_provenance_mut(block.start), layout) };
    Some(())
}

fn layout(bytes: usize) -> Option<Layout> {
    Layout::from_size_align(bytes, PAGE).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_is_known_by_every_address_in_it_until_it_is_freed() {
        let memory = HostMemory::default();
        let start = memory.allocate(100, 3, 7).unwrap();
        assert_eq!(start % PAGE, 0);
        let found = memory.holding(start + 99).unwrap();
        assert_eq!((found.start, found.bytes, found.flags, found.context), (start, 100, 3, 7));
        assert!(memory.holding(start + 100).is_none());
        assert_eq!(memory.free(start + 1), Err(CUresult::INVALID_VALUE));
        assert_eq!(memory.free(start), Ok(()));
        assert_eq!(memory.free(start), Err(CUresult::INVALID_VALUE));
    }

    #[test]
    fn impossible_sizes_are_refused() {
        let memory = HostMemory::default();
        assert_eq!(memory.allocate(0, 0, 0), Err(CUresult::INVALID_VALUE));
        assert_eq!(memory.allocate(usize::MAX, 0, 0), Err(CUresult::OUT_OF_MEMORY));
        assert_eq!(memory.register(0x1000, usize::MAX, 0, 0), Err(CUresult::INVALID_VALUE));
    }

    #[test]
    fn memory_is_registered_once_and_not_freed_by_the_driver() {
        let memory = HostMemory::default();
        assert_eq!(memory.register(0x1000, 0x1000, 0, 0), Ok(()));
        assert_eq!(memory.register(0x1800, 0x1000, 0, 0), Err(CUresult::HOST_MEMORY_ALREADY_REGISTERED));
        assert_eq!(memory.register(0x800, 0x1000, 0, 0), Err(CUresult::HOST_MEMORY_ALREADY_REGISTERED));
        assert_eq!(memory.register(0x2000, 0x1000, 0, 0), Ok(()));
        assert_eq!(memory.free(0x1000), Err(CUresult::INVALID_VALUE));
        assert_eq!(memory.unregister(0x1000), Ok(()));
        assert_eq!(memory.unregister(0x1000), Err(CUresult::HOST_MEMORY_NOT_REGISTERED));
    }
}
