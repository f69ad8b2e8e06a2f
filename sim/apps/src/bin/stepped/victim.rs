//! The process that is killed.

use crate::process;
use sim_apps::driver;
use std::ptr::null_mut;

/// Bytes that it allocates and frees.
const BYTES: usize = 1 << 20;

/// A process that has a context, has allocated and freed once, and is about to do so again.
pub(crate) struct Victim(libc::pid_t);

/// How it ended.
pub(crate) enum End {
    /// Before it was done.
    Killed,
    /// It was done before its time had come.
    Finished,
}

impl Victim {
    pub(crate) fn start() -> Result<Self, String> {
        let victim = Self(process::child(work)?);
        match process::wait(victim.0)? {
            status if libc::WIFSTOPPED(status) => Ok(victim),
            status => Err(format!("the victim ended before its time, with status {status:#x}")),
        }
    }

    /// Lets it execute `instructions`, and kills it.
    pub(crate) fn dies_after(self, instructions: usize) -> Result<End, String> {
        for _ in 0..instructions {
            self.step()?;
            let status = process::wait(self.0)?;
            if libc::WIFEXITED(status) {
                return Ok(End::Finished);
            }
            if !libc::WIFSTOPPED(status) || libc::WSTOPSIG(status) != libc::SIGTRAP {
                return Err(format!("the victim has status {status:#x} instead of taking a step"));
            }
        }
        // SAFETY: a child that has not been waited for to its end, so its number is nobody else's.
        unsafe { libc::kill(self.0, libc::SIGKILL) };
        match process::wait(self.0)? {
            status if libc::WIFSIGNALED(status) => Ok(End::Killed),
            status => Err(format!("the victim has status {status:#x} instead of being dead")),
        }
    }

    fn step(&self) -> Result<(), String> {
        // SAFETY: the request reads and writes no memory of this process.
        match unsafe { libc::ptrace(libc::PTRACE_SINGLESTEP, self.0, null_mut::<u8>(), null_mut::<u8>()) } {
            -1 => Err(format!("ptrace: {}", std::io::Error::last_os_error())),
            _ => Ok(()),
        }
    }
}

fn work() {
    let ready = driver::start(0).and_then(|()| driver::allocate(BYTES)).and_then(driver::free);
    if let Err(failure) = ready {
        eprintln!("stepped: the victim: {failure}");
        return;
    }
    // SAFETY: asks to be traced by the parent, which passes no memory.
    unsafe { libc::ptrace(libc::PTRACE_TRACEME, 0, null_mut::<u8>(), null_mut::<u8>()) };
    // SAFETY: stops this process until the parent has seen it.
    unsafe { libc::raise(libc::SIGSTOP) };
    let _ = driver::allocate(BYTES).and_then(driver::free);
}
