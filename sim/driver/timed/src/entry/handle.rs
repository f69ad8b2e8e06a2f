//! Handles: the address of what they stand for, as a real driver's are. Nobody checks them, but for null.

use std::ffi::c_void;

use cuda_sys::CUresult;

/// Gives `thing` a handle.
pub(super) fn make<T>(thing: T) -> *mut c_void {
    Box::into_raw(Box::new(thing)).cast()
}

/// What a handle stands for.
///
/// # Errors
/// It is null.
///
/// # Safety
///
/// `handle` must be null, or come from [`make`] of a `T` that was not [ended](end).
pub(super) unsafe fn of<'a, T>(handle: *mut c_void) -> Result<&'a T, CUresult> {
    // SAFETY: as the caller promises; shared references are all that is made of it until it ends.
    unsafe { handle.cast::<T>().as_ref() }.ok_or(CUresult::INVALID_HANDLE)
}

/// Ends what a handle stands for.
///
/// # Safety
///
/// As for [`of`], and nobody uses it any more.
pub(super) unsafe fn end<T>(handle: *mut c_void) -> CUresult {
    if handle.is_null() {
        return CUresult::INVALID_HANDLE;
    }
    // SAFETY: it came from a box of a `T`, and nobody else has it.
    drop(unsafe { Box::from_raw(handle.cast::<T>()) });
    CUresult::SUCCESS
}

/// The code of an outcome.
pub(super) fn code(outcome: Result<(), CUresult>) -> CUresult {
    outcome.err().unwrap_or(CUresult::SUCCESS)
}

/// Whether what is done at `time` is.
pub(super) fn is_done(time: crate::device::Time) -> CUresult {
    if time <= crate::device::now() { CUresult::SUCCESS } else { CUresult::NOT_READY }
}
