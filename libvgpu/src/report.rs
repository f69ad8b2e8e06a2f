//! The library's only way to speak: one line on standard error, and only when something is wrong.

use std::fmt::Display;

/// Writes `message` and a newline to standard error in one call, past the application's own buffers.
///
/// The application's `errno` is kept: a hook must not change what its caller sees there.
pub(crate) fn line(message: &impl Display) {
    let line = format!("{message}\n");
    // SAFETY: `__errno_location` answers with the calling thread's `errno`.
    let errno = unsafe { libc::__errno_location() };
    // SAFETY: as above; it is a valid `int` for the life of the thread.
    let saved = unsafe { *errno };
    // SAFETY: the buffer is valid for its length. A closed or full standard error loses the line, nothing else.
    unsafe { libc::write(libc::STDERR_FILENO, line.as_ptr().cast(), line.len()) };
    // SAFETY: as above.
    unsafe { *errno = saved };
}
