//! The calling thread's `errno`, which a hook must leave as the driver did.

/// Runs `work`, after which `errno` is what it was before.
pub(crate) fn kept<T>(work: impl FnOnce() -> T) -> T {
    // SAFETY: answers with the calling thread's `errno`.
    let errno = unsafe { libc::__errno_location() };
    // SAFETY: as above; it is a valid `int` for the life of the thread.
    let saved = unsafe { *errno };
    let result = work();
    // SAFETY: as above.
    unsafe { *errno = saved };
    result
}
