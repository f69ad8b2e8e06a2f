//! A range of device addresses and the host memory that plays the device's memory there.

use std::ops::Range;
use std::os::fd::{AsRawFd, BorrowedFd};

use super::extents::Extents;
use crate::width::to_usize;

/// What the program may do with the addresses of an arena on its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// Nothing: they fault, as addresses of a real device do.
    DeviceOnly,
    /// Read and write: managed memory.
    Host,
}

impl Access {
    fn protection(self) -> libc::c_int {
        match self {
            Self::DeviceOnly => libc::PROT_NONE,
            Self::Host => libc::PROT_READ | libc::PROT_WRITE,
        }
    }
}

/// Bytes that are copied at once.
const PAGE: usize = 4096;

/// A range of addresses.
///
/// The contents lie in a second mapping, at the same offsets; in managed arenas it is the same mapping. Pages appear
/// when they are first written, so a simulated allocation of gigabytes costs nothing until somebody fills it.
#[derive(Debug)]
pub(crate) struct Arena {
    range: Range<u64>,
    contents: u64,
    extents: Extents,
}

impl Arena {
    /// Reserves an arena of up to `most` bytes, fewer (but at least a 1024th) where the process may not have so many;
    /// `None` if it may not have that either.
    pub(crate) fn reserve(most: u64, access: Access) -> Option<Self> {
        let sizes = (0..=10).map(|shift| most >> shift);
        sizes.into_iter().find_map(|size| Self::reserve_exactly(0..size, access))
    }

    /// Reserves device-only addresses at a fixed place; `None` when it is taken.
    pub(crate) fn reserve_at(range: Range<u64>) -> Option<Self> {
        Self::reserve_exactly(range, Access::DeviceOnly)
    }

    /// `place.start` 0 means anywhere.
    fn reserve_exactly(place: Range<u64>, access: Access) -> Option<Self> {
        let size = place.end - place.start;
        let start = map(place.start, size, access)?;
        let contents = match access {
            Access::Host => Some(start),
            Access::DeviceOnly => map(0, size, Access::Host),
        };
        let Some(contents) = contents else {
            unmap(start, size);
            return None;
        };
        let range = start..start + size;
        Some(Self { extents: Extents::new(range.clone()), range, contents })
    }

    /// Whether the address is one of this arena.
    pub(crate) fn contains(&self, address: u64) -> bool {
        self.range.contains(&address)
    }

    /// The free addresses.
    pub(crate) fn extents(&mut self) -> &mut Extents {
        &mut self.extents
    }

    /// Where the contents of an address of this arena are.
    pub(crate) fn contents(&self, address: u64) -> *mut u8 {
        std::ptr::with_exposed_provenance_mut(to_usize(self.contents + (address - self.range.start)))
    }

    /// Lets the contents of a part of the arena be a part of a file, from `offset` on; so they stay until [`Self::restore`].
    pub(crate) fn back(&self, part: Range<u64>, file: BorrowedFd<'_>, offset: u64) -> Option<()> {
        replace(self.contents + (part.start - self.range.start), &part, Some((file, offset)), Access::Host)
    }

    /// The same, after the contents have been copied there.
    pub(crate) fn publish(&self, part: Range<u64>, file: BorrowedFd<'_>, offset: u64) -> Option<()> {
        let mut page = [0_u8; PAGE];
        for start in part.clone().step_by(PAGE) {
            // SAFETY: a part of this arena consists of whole pages, which are mapped.
            unsafe { self.contents(start).copy_to_nonoverlapping(page.as_mut_ptr(), PAGE) };
            if page.iter().any(|byte| *byte != 0) {
                let place = libc::off_t::try_from(offset + (start - part.start)).ok()?;
                // SAFETY: the page is valid for reading.
                let written = unsafe { libc::pwrite(file.as_raw_fd(), page.as_ptr().cast(), PAGE, place) };
                usize::try_from(written).ok().filter(|written| *written == PAGE)?;
            }
        }
        self.back(part, file, offset)
    }

    /// Lets the program itself read and write a part of the arena, whose contents are that part of a file.
    pub(crate) fn open(&self, part: Range<u64>, file: BorrowedFd<'_>, offset: u64) -> Option<()> {
        replace(part.start, &part, Some((file, offset)), Access::Host)
    }

    /// Undoes [`Self::back`] and [`Self::open`]: contents that are this process' own, and zero.
    pub(crate) fn restore(&self, part: Range<u64>) -> Option<()> {
        replace(self.contents + (part.start - self.range.start), &part, None, Access::Host)?;
        replace(part.start, &part, None, Access::DeviceOnly)
    }

    /// Returns the pages behind the whole pages of a part of the arena to the system; they read as zero again.
    pub(crate) fn discard(&self, start: u64, length: u64) {
        // SAFETY: the range lies in a private anonymous mapping of this arena, and its addresses belong to nobody:
        // the caller has just taken them out of the table of allocations.
        unsafe { libc::madvise(self.contents(start).cast(), to_usize(length), libc::MADV_DONTNEED) };
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        let size = self.range.end - self.range.start;
        unmap(self.range.start, size);
        if self.contents != self.range.start {
            unmap(self.contents, size);
        }
    }
}

/// Maps something else at `place`, over as much of what an arena has mapped there as `part` has.
fn replace(place: u64, part: &Range<u64>, from: Option<(BorrowedFd<'_>, u64)>, access: Access) -> Option<()> {
    let (file, offset, kind) = match from {
        Some((file, offset)) => (file.as_raw_fd(), libc::off_t::try_from(offset).ok()?, libc::MAP_SHARED),
        None => (-1, 0, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS),
    };
    let flags = kind | libc::MAP_NORESERVE | libc::MAP_FIXED;
    let hint = std::ptr::without_provenance_mut(to_usize(place));
    let size = to_usize(part.end - part.start);
    // SAFETY: what is replaced is mapped by the arena that calls this, whose part nobody uses at the moment.
    let start = unsafe { libc::mmap(hint, size, access.protection(), flags, file, offset) };
    if start == libc::MAP_FAILED {
        return None;
    }
    let _ = start.expose_provenance();
    keep_out(start, size);
    Some(())
}

/// Keeps a mapping out of forked children and core files.
fn keep_out(start: *mut libc::c_void, size: usize) {
    for advice in [libc::MADV_DONTFORK, libc::MADV_DONTDUMP] {
        // SAFETY: advice about a mapping of this process.
        unsafe { libc::madvise(start, size, advice) };
    }
}

/// Maps `size` bytes at `place` (0: anywhere) that take no memory and stay out of forked children and core files.
fn map(place: u64, size: u64, access: Access) -> Option<u64> {
    let fixed = if place == 0 { 0 } else { libc::MAP_FIXED_NOREPLACE };
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | fixed;
    let hint = std::ptr::without_provenance_mut(to_usize(place));
    // SAFETY: a new anonymous mapping; MAP_FIXED_NOREPLACE never replaces an existing one.
    let start = unsafe { libc::mmap(hint, to_usize(size), access.protection(), flags, -1, 0) };
    if start == libc::MAP_FAILED {
        return None;
    }
    let address = start.expose_provenance() as u64;
    if place != 0 && address != place {
        // A kernel without MAP_FIXED_NOREPLACE (before 4.17) takes the address for a hint.
        unmap(address, size);
        return None;
    }
    keep_out(start, to_usize(size));
    Some(address)
}

fn unmap(start: u64, size: u64) {
    // SAFETY: a mapping that `map` made and that nothing refers to any more.
    unsafe { libc::munmap(std::ptr::with_exposed_provenance_mut(to_usize(start)), to_usize(size)) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contents_are_writable_and_forgotten_when_discarded() {
        for access in [Access::DeviceOnly, Access::Host] {
            let mut arena = Arena::reserve(1 << 40, access).unwrap();
            let address = arena.extents().take(1 << 21, 1 << 21).unwrap();
            let contents = arena.contents(address);
            // SAFETY: the contents of an address just taken.
            unsafe { contents.write(7) };
            arena.discard(address, 1 << 21);
            // SAFETY: as above.
            assert_eq!(unsafe { contents.read() }, 0);
        }
    }

    #[test]
    fn only_managed_addresses_are_their_own_contents() {
        let mut managed = Arena::reserve(1 << 30, Access::Host).unwrap();
        let address = managed.extents().take(1, 1).unwrap();
        assert_eq!(managed.contents(address).addr() as u64, address);
        let mut device = Arena::reserve(1 << 30, Access::DeviceOnly).unwrap();
        let address = device.extents().take(1, 1).unwrap();
        assert_ne!(device.contents(address).addr() as u64, address);
    }

    #[test]
    fn a_place_that_is_taken_is_refused() {
        let first = Arena::reserve(1 << 30, Access::DeviceOnly).unwrap();
        let start = first.range.start;
        assert!(Arena::reserve_at(start..start + (1 << 20)).is_none());
    }
}
