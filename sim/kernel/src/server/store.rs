//! The store: a file without a name that stands for the memory of the devices, as far as processes share it.
//!
//! A real device's memory can be reached by every process that the kernel driver lets reach it. Here the contents of an
//! allocation are memory of the process that made it, until another may have to see them: then they are a part of this
//! file, which both map. Which part is whose, the machine says; a library is trusted to map no other.

use std::io;
use std::os::fd::OwnedFd;

use rustix::fs::{FallocateFlags, MemfdFlags, fallocate, ftruncate, memfd_create};
use sim_model::StoreRange;

/// Bytes of the file. Pages appear when they are first written.
const SIZE: u64 = 1 << 60;

/// The store, which is made when it is first asked for.
#[derive(Debug, Default)]
pub(super) struct Store(Option<OwnedFd>);

impl Store {
    /// A descriptor for a process.
    ///
    /// # Errors
    /// The kernel has no room for it.
    pub(super) fn descriptor(&mut self) -> io::Result<OwnedFd> {
        let file = match self.0.take() {
            Some(file) => file,
            None => make()?,
        };
        self.0.insert(file).try_clone()
    }

    /// Gives the pages of a part back.
    pub(super) fn clear(&self, range: StoreRange) {
        if let Some(file) = &self.0 {
            let flags = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
            // At worst the pages stay until the machine ends: no part is used twice.
            let _ = fallocate(file, flags, range.offset.0, range.bytes.0);
        }
    }
}

fn make() -> io::Result<OwnedFd> {
    let file = memfd_create(c"vgpu-sim-memory", MemfdFlags::CLOEXEC)?;
    ftruncate(&file, SIZE)?;
    Ok(file)
}
