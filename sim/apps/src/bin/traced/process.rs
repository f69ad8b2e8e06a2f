//! Children of this program.

use std::io;

/// Runs `work` in a child, which ends when it does, or when this process does. Answers with the child's number.
///
/// # Errors
/// The machine cannot fork.
pub(crate) fn child(work: impl FnOnce()) -> Result<libc::pid_t, String> {
    // SAFETY: this process has one thread and has made no driver call, so that its child may make all of them.
    match unsafe { libc::fork() } {
        0 => {
            // SAFETY: no memory is passed.
            unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) };
            work();
            // SAFETY: ends the child without what its parent registered.
            unsafe { libc::_exit(0) }
        }
        -1 => Err(format!("fork: {}", io::Error::last_os_error())),
        child => Ok(child),
    }
}

/// Waits until `child` has stopped or ended: its status.
///
/// # Errors
/// There is no such child.
pub(crate) fn wait(child: libc::pid_t) -> Result<i32, String> {
    let mut status = 0;
    // SAFETY: `status` is valid for writing.
    match unsafe { libc::waitpid(child, &raw mut status, 0) } {
        -1 => Err(format!("waitpid: {}", io::Error::last_os_error())),
        _ => Ok(status),
    }
}
