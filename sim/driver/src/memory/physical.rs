//! Physical memory as this process holds it: by handles and mappings.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};

use cuda_sys::{CUmemAllocationHandleType, CUmemAllocationPropFlags, CUmemLocation, CUresult};
use sim_kernel::{Client, PieceState};

use crate::address::Space;
use crate::handles::{Handles, lock};
use crate::outcome::Outcome;
use crate::process::{Driver, code};

/// Physical memory that this process has created or imported.
#[derive(Debug)]
pub(crate) struct Physical {
    /// What the caller calls it.
    pub(crate) handle: usize,
    /// What the machine knows of it.
    pub(crate) state: PieceState,
    /// What it was made with.
    pub(crate) properties: Properties,
    /// How often the handle is to be released, and how often the memory is mapped. Changed with the space locked.
    references: Mutex<References>,
}

/// What physical memory is made with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Properties {
    /// How it may be exported.
    pub(crate) handle_types: CUmemAllocationHandleType,
    /// Where it is.
    pub(crate) location: CUmemLocation,
    /// The rest.
    pub(crate) flags: CUmemAllocationPropFlags,
}

#[derive(Debug)]
struct References {
    handles: u64,
    mappings: u64,
}

impl Physical {
    /// Keeps memory that the machine lets this process hold, and gives its handle.
    pub(crate) fn insert(driver: &Driver, state: PieceState, properties: Properties) -> usize {
        let references = Mutex::new(References { handles: 1, mappings: 0 });
        driver.physical.handles.insert_with(|handle| Self { handle, state, properties, references }).handle
    }

    /// The memory of a handle that has not been released as often as it was given.
    pub(crate) fn of(driver: &Driver, _space: &Space, handle: u64) -> Outcome<Arc<Self>> {
        let found = usize::try_from(handle).ok().and_then(|handle| driver.physical.handles.get(handle));
        found.filter(|found| lock(&found.references).handles > 0).ok_or(CUresult::INVALID_VALUE)
    }

    /// The handle is to be released once more.
    pub(crate) fn retain(&self, _space: &Space) {
        lock(&self.references).handles += 1;
    }

    /// The memory was mapped once more.
    pub(crate) fn mapped(&self, _space: &Space) {
        lock(&self.references).mappings += 1;
    }

    /// The handle was released.
    pub(crate) fn released(&self, driver: &Driver, _space: &Space) -> Outcome {
        let mut references = lock(&self.references);
        references.handles -= 1;
        self.settle(driver, references)
    }

    /// The memory was unmapped.
    pub(crate) fn unmapped(&self, driver: &Driver, _space: &Space) -> Outcome {
        let mut references = lock(&self.references);
        references.mappings -= 1;
        self.settle(driver, references)
    }

    fn settle(&self, driver: &Driver, references: MutexGuard<'_, References>) -> Outcome {
        if references.handles > 0 || references.mappings > 0 {
            return Ok(());
        }
        driver.physical.handles.remove(self.handle);
        driver.client.drop_piece(self.state.id).map_err(code)
    }
}

/// The physical memory of this process by handle, and the file in which its contents are.
#[derive(Debug, Default)]
pub(crate) struct PhysicalMemory {
    handles: Handles<Physical>,
    store: OnceLock<OwnedFd>,
}

impl PhysicalMemory {
    /// The machine's store, opened when it is first needed.
    pub(crate) fn store(&self, client: &Client) -> Outcome<BorrowedFd<'_>> {
        if self.store.get().is_none() {
            // Another thread may be faster; then this one's is closed.
            let _ = self.store.set(client.store().map_err(code)?);
        }
        self.store.get().map(AsFd::as_fd).ok_or(CUresult::OUT_OF_MEMORY)
    }
}
