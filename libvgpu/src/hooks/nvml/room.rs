//! The protocol of NVML's lists: the caller states the room, the library the number of entries.

use core::ptr::null_mut;
use cuda_sys::*;

/// Hands out `entries`. The number goes to `count` in any case, nothing to `place` when they do not fit.
///
/// # Safety
/// `count` must be valid for reading and writing, and `place` null or valid for writing as many entries as it says.
pub(super) unsafe fn fill<T>(
    count: *mut c_uint,
    place: *mut T,
    entries: impl ExactSizeIterator<Item = T>,
) -> nvmlReturn_t {
    // SAFETY: promised by the caller; C does not promise alignment.
    let room = unsafe { count.read_unaligned() };
    if place.is_null() && room > 0 {
        return nvmlReturn_t::INVALID_ARGUMENT;
    }
    let Ok(number) = c_uint::try_from(entries.len()) else { return nvmlReturn_t::UNKNOWN };
    // SAFETY: as above.
    unsafe { count.write_unaligned(number) };
    if number > room {
        return nvmlReturn_t::INSUFFICIENT_SIZE;
    }
    for (at, entry) in entries.enumerate() {
        // SAFETY: there is room for all of them.
        let place = unsafe { place.add(at) };
        // SAFETY: as above.
        unsafe { place.write_unaligned(entry) };
    }
    nvmlReturn_t::SUCCESS
}

/// Whether the driver would hand out a list, by its answer to a caller without room; if not, its answer.
pub(super) fn refusal<T>(ask: impl FnOnce(*mut c_uint, *mut T) -> nvmlReturn_t) -> Option<nvmlReturn_t> {
    let mut none = 0;
    let answer = ask(&raw mut none, null_mut());
    (!answer.is_success() && answer != nvmlReturn_t::INSUFFICIENT_SIZE).then_some(answer)
}

/// The whole list that the driver hands out to `ask`, which takes the number of entries and their place.
///
/// # Errors
/// The driver's answer.
pub(super) fn whole<T: Copy + Default>(
    mut ask: impl FnMut(*mut c_uint, *mut T) -> nvmlReturn_t,
) -> Result<Vec<T>, nvmlReturn_t> {
    /// More than there usually are, so that the driver is asked once.
    const USUAL: c_uint = 256;
    /// The list may grow between two questions.
    const TRIES: usize = 4;
    let mut room = USUAL;
    for _ in 0..TRIES {
        let mut entries = vec![T::default(); room as usize];
        let mut count = room;
        match ask(&raw mut count, entries.as_mut_ptr()) {
            nvmlReturn_t::INSUFFICIENT_SIZE => room = count.max(room).saturating_add(USUAL),
            answer if answer.is_success() => {
                entries.truncate(count as usize);
                return Ok(entries);
            }
            answer => return Err(answer),
        }
    }
    Err(nvmlReturn_t::UNKNOWN)
}
