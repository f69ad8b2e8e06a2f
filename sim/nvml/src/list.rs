//! The protocol of NVML's lists: the caller states the room, the library the number of entries.

use std::ffi::c_uint;
use std::ptr::NonNull;

use cuda_sys::nvmlReturn_t;

use crate::abi::{FromAbi, InOut, Outcome};

/// Where the caller wants the entries of a list; null while it only asks for the number.
#[derive(Debug)]
pub(crate) struct List<T>(Option<NonNull<T>>);

impl<T> FromAbi<*mut T> for List<T> {
    unsafe fn from_abi(raw: *mut T) -> Outcome<Self> {
        Ok(Self(NonNull::new(raw)))
    }
}

impl<T> List<T> {
    /// A list at this address, for structures that hold one.
    ///
    /// # Safety
    /// As for [`FromAbi::from_abi`].
    pub(crate) unsafe fn at(raw: *mut T) -> Self {
        Self(NonNull::new(raw))
    }

    /// Whether the caller only asks for the number.
    pub(crate) fn is_null(&self) -> bool {
        self.0.is_none()
    }

    /// Replaces each of the `count` entries that the caller passed by what `change` makes of it.
    pub(crate) fn update(&self, count: usize, change: impl Fn(T) -> T) -> Outcome {
        let place = self.0.ok_or(nvmlReturn_t::INVALID_ARGUMENT)?.as_ptr();
        for at in 0..count {
            // SAFETY: the caller states so many entries.
            let slot = unsafe { place.add(at) };
            // SAFETY: as above, readable; C callers do not promise alignment.
            let entry = unsafe { slot.read_unaligned() };
            // SAFETY: as above, writable.
            unsafe { slot.write_unaligned(change(entry)) };
        }
        Ok(())
    }

    /// Stores the entries, of which the caller has made sure that they fit.
    fn store(&self, entries: impl Iterator<Item = T>) -> Outcome {
        let place = self.0.ok_or(nvmlReturn_t::INVALID_ARGUMENT)?.as_ptr();
        for (at, entry) in entries.enumerate() {
            // SAFETY: `fill` compared the number of entries with the room, in entries, that the caller states.
            let slot = unsafe { place.add(at) };
            // SAFETY: as above; C callers do not promise alignment.
            unsafe { slot.write_unaligned(entry) };
        }
        Ok(())
    }

    /// Answers with the entries, given room for `room` of them: the number of entries goes to `report` in any case.
    ///
    /// # Errors
    /// `INSUFFICIENT_SIZE` when the room is too small; `INVALID_ARGUMENT` when there is room at no address.
    pub(crate) fn fill(
        &self,
        room: c_uint,
        entries: impl ExactSizeIterator<Item = T>,
        report: impl FnOnce(c_uint),
    ) -> Outcome {
        if self.is_null() && room > 0 {
            return Err(nvmlReturn_t::INVALID_ARGUMENT);
        }
        let count = c_uint::try_from(entries.len()).map_err(|_| nvmlReturn_t::UNKNOWN)?;
        report(count);
        match count {
            0 => Ok(()),
            _ if count > room => Err(nvmlReturn_t::INSUFFICIENT_SIZE),
            _ => self.store(entries),
        }
    }

    /// As [`List::fill`], for a list whose room and number of entries are one argument.
    pub(crate) fn answer(&self, count: &InOut<c_uint>, entries: impl ExactSizeIterator<Item = T>) -> Outcome {
        self.fill(count.get(), entries, |number| count.set(number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(room: u32, place: &mut [u64], entries: &[u64]) -> (nvmlReturn_t, u32) {
        let mut count = room;
        let raw = if place.is_empty() { std::ptr::null_mut() } else { place.as_mut_ptr() };
        // SAFETY: null, or valid for the call and of at least `room` entries.
        let list = unsafe { List::at(raw) };
        // SAFETY: valid for the call.
        let count_place = unsafe { InOut::from_abi(&raw mut count) }.unwrap();
        let code = crate::abi::code(list.answer(&count_place, entries.iter().copied()));
        (code, count)
    }

    #[test]
    fn the_number_is_told_when_the_room_is_too_small_and_nothing_is_stored() {
        let mut place = [7, 7];
        assert_eq!(answer(2, &mut place, &[1, 2, 3]), (nvmlReturn_t::INSUFFICIENT_SIZE, 3));
        assert_eq!(place, [7, 7]);
    }

    #[test]
    fn what_fits_is_stored_and_counted() {
        let mut place = [7, 7, 7];
        assert_eq!(answer(3, &mut place, &[1, 2]), (nvmlReturn_t::SUCCESS, 2));
        assert_eq!(place, [1, 2, 7]);
    }

    #[test]
    fn a_caller_may_ask_for_the_number_alone() {
        assert_eq!(answer(0, &mut [], &[1]), (nvmlReturn_t::INSUFFICIENT_SIZE, 1));
        assert_eq!(answer(0, &mut [], &[]), (nvmlReturn_t::SUCCESS, 0));
    }

    #[test]
    fn room_at_no_address_is_an_invalid_argument_and_leaves_the_number() {
        assert_eq!(answer(4, &mut [], &[1]), (nvmlReturn_t::INVALID_ARGUMENT, 4));
    }
}
