//! Memory mappings, and the one place where bytes of the file become references.

use core::ffi::c_void;
use core::ops::Deref;
use core::ptr::NonNull;
use core::sync::atomic::AtomicU64;
use std::os::fd::BorrowedFd;

use rustix::io::{Errno, Result};
use rustix::mm::{Advice, MapFlags, ProtFlags, madvise, mmap, mmap_anonymous, munmap};

use crate::layout::{RegionFile, SIZE};
use contract::limits_page;

/// Bytes of the smallest mapping.
pub(crate) const PAGE: usize = 4096;

/// A mapping that ends when it is dropped.
#[derive(Debug)]
pub(crate) struct Mapping {
    start: NonNull<c_void>,
    length: usize,
}

// SAFETY: a mapping belongs to the process, not to a thread; nothing here is tied to the thread that made it.
unsafe impl Send for Mapping {}
// SAFETY: shared references give out the address only; what lies there is accessed by atomic operations.
unsafe impl Sync for Mapping {}

impl Mapping {
    /// Maps the first `length` bytes of a file, shared with other processes.
    pub(crate) fn shared(file: BorrowedFd<'_>, length: usize, access: ProtFlags) -> Result<Self> {
        // SAFETY: the kernel chooses the address, so no existing mapping is touched.
        let start = unsafe { mmap(core::ptr::null_mut(), length, access, MapFlags::SHARED, file, 0) }?;
        Self::from_kernel(start, length)
    }

    /// Maps one page of zeros that only this process has.
    pub(crate) fn private_page() -> Result<Self> {
        let access = ProtFlags::READ | ProtFlags::WRITE;
        // SAFETY: the kernel chooses the address, so no existing mapping is touched.
        let start = unsafe { mmap_anonymous(core::ptr::null_mut(), PAGE, access, MapFlags::PRIVATE) }?;
        Self::from_kernel(start, PAGE)
    }

    fn from_kernel(start: *mut c_void, length: usize) -> Result<Self> {
        let start = NonNull::new(start).ok_or(Errno::NOMEM)?;
        Ok(Self { start, length })
    }

    /// What becomes of the mapping in a forked child: it is not there.
    pub(crate) fn not_in_children(&self) -> Result<()> {
        self.advise(Advice::LinuxDontFork)
    }

    /// What becomes of the mapping in a forked child: it is all zero.
    pub(crate) fn zero_in_children(&self) -> Result<()> {
        self.advise(Advice::LinuxWipeOnFork)
    }

    fn advise(&self, advice: Advice) -> Result<()> {
        // SAFETY: the range is a live mapping of ours, and both kinds of advice leave its contents here as they are.
        unsafe { madvise(self.start.as_ptr(), self.length, advice) }
    }

    /// The mapping's first word.
    pub(crate) const fn first_word(&self) -> &AtomicU64 {
        // SAFETY: a mapping is aligned to a page and at least one page long, lives as long as `self`, and is accessed as
        // atomic words only.
        unsafe { self.start.cast().as_ref() }
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: the range is a mapping that this value made and that no reference outlives.
        let ended = unsafe { munmap(self.start.as_ptr(), self.length) };
        debug_assert!(ended.is_ok());
    }
}

/// The region's file, mapped whole.
#[derive(Debug)]
pub(crate) struct RegionMapping(Mapping);

impl RegionMapping {
    /// Maps `file`, which the caller has found to be a region at least [`SIZE`] bytes long.
    pub(crate) fn new(file: BorrowedFd<'_>) -> Result<Self> {
        Mapping::shared(file, SIZE, ProtFlags::READ | ProtFlags::WRITE).map(Self)
    }
}

impl Deref for RegionMapping {
    type Target = RegionFile;

    fn deref(&self) -> &RegionFile {
        // SAFETY: the mapping is SIZE = size_of::<RegionFile>() bytes, aligned to a page as RegionFile demands, and lives as
        // long as `self`. RegionFile consists of atomic integers only, for which any bytes are valid and which other
        // processes may change.
        unsafe { self.0.start.cast().as_ref() }
    }
}

/// A limits page, mapped whole. Its words are little-endian.
#[derive(Debug)]
pub(crate) struct LimitsMapping(Mapping);

impl LimitsMapping {
    /// Maps `file`, which the caller has found to be as long as a page.
    pub(crate) fn new(file: BorrowedFd<'_>, access: ProtFlags) -> Result<Self> {
        Mapping::shared(file, limits_page::SIZE, access).map(Self)
    }
}

impl Deref for LimitsMapping {
    type Target = [AtomicU64; limits_page::WORDS];

    fn deref(&self) -> &Self::Target {
        // SAFETY: the mapping is SIZE = 8 * WORDS bytes, aligned to a page, and lives as long as `self`. Atomic integers may hold
        // any bytes, and other processes may change them. Whoever maps without write access only loads.
        unsafe { self.0.start.cast().as_ref() }
    }
}
