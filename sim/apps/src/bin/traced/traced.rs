//! The process that is watched.

use crate::process;
use sim_apps::driver;
use std::ptr::null_mut;

/// Bytes that it allocates and frees.
const BYTES: usize = 1 << 20;

/// A process that has a context, has allocated and freed once, and is about to do so again.
pub(crate) struct Traced(libc::pid_t);

/// What became of it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    /// It has come as far as it was let.
    Taken,
    /// It has done everything.
    Ended,
}

impl Traced {
    /// One that is about to allocate and free `pairs` times.
    pub(crate) fn start(pairs: u64) -> Result<Self, String> {
        let process = Self(process::child(|| work(pairs))?);
        match process::wait(process.0)? {
            status if libc::WIFSTOPPED(status) => Ok(process),
            status => Err(format!("the process ended before its time, with status {status:#x}")),
        }
    }

    /// Lets it go on, for as long as `request` says.
    pub(crate) fn goes_on(&self, request: libc::c_uint) -> Result<Step, String> {
        // SAFETY: the request reads and writes no memory of this process.
        if unsafe { libc::ptrace(request, self.0, null_mut::<u8>(), null_mut::<u8>()) } == -1 {
            return Err(format!("ptrace: {}", std::io::Error::last_os_error()));
        }
        match process::wait(self.0)? {
            status if libc::WIFEXITED(status) => Ok(Step::Ended),
            status if libc::WIFSTOPPED(status) && libc::WSTOPSIG(status) == libc::SIGTRAP => Ok(Step::Taken),
            status => Err(format!("the process has status {status:#x} instead of going on")),
        }
    }

    pub(crate) fn kill(self) -> Result<(), String> {
        // SAFETY: a child that has not been waited for to its end, so its number is nobody else's.
        unsafe { libc::kill(self.0, libc::SIGKILL) };
        match process::wait(self.0)? {
            status if libc::WIFSIGNALED(status) => Ok(()),
            status => Err(format!("the process has status {status:#x} instead of being dead")),
        }
    }
}

fn work(pairs: u64) {
    let pair = || driver::allocate(BYTES).and_then(driver::free);
    if let Err(failure) = driver::start(0).and_then(|()| pair()) {
        eprintln!("traced: {failure}");
        return;
    }
    // SAFETY: asks to be traced by the parent, which passes no memory.
    unsafe { libc::ptrace(libc::PTRACE_TRACEME, 0, null_mut::<u8>(), null_mut::<u8>()) };
    // SAFETY: stops this process until the parent has seen it.
    unsafe { libc::raise(libc::SIGSTOP) };
    for _ in 0..pairs {
        if let Err(failure) = pair() {
            eprintln!("traced: {failure}");
        }
    }
}
