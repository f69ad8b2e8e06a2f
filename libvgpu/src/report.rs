//! The library's only way to speak: one line on standard error, when something is wrong or `LIBCUDA_LOG_LEVEL` asks for
//! more.

use crate::errno;
use crate::state::variable;
use contract::env::{self, EnvLimits, LogLevel};
use core::mem::MaybeUninit;
use core::ptr::null_mut;
use core::sync::atomic::{AtomicU8, Ordering::Relaxed};
use std::fmt::Display;

/// Writes `message` and a newline to standard error in one call, past the application's own buffers.
///
/// A standard error that is closed, full or read by nobody loses the line; the application is neither held up nor sent
/// a signal. Its `errno` is kept: a hook must not change what its caller sees there.
pub(crate) fn line(message: &impl Display) {
    let line = format!("{message}\n");
    errno::kept(|| {
        if takes_more() {
            without_sigpipe(|| {
                // SAFETY: the buffer is valid for its length.
                unsafe { libc::write(libc::STDERR_FILENO, line.as_ptr().cast(), line.len()) };
            });
        }
    });
}

/// [`line()`], if the environment asks for more than faults.
pub(crate) fn detail(message: &impl Display) {
    if says_details() {
        line(message);
    }
}

/// Whether the environment asks for more than faults. Looked up once: a request that is refused has no time for it.
pub(crate) fn says_details() -> bool {
    match SAYS_DETAILS.load(Relaxed) {
        UNKNOWN => {
            let level = EnvLimits::read(|name| (name == env::LOG_LEVEL).then(|| variable(name)).flatten());
            let says = level.is_ok_and(|environment| environment.log_level() >= LogLevel::Info);
            SAYS_DETAILS.store(if says { YES } else { NO }, Relaxed);
            says
        }
        known => known == YES,
    }
}

static SAYS_DETAILS: AtomicU8 = AtomicU8::new(UNKNOWN);
const UNKNOWN: u8 = 0;
const NO: u8 = 1;
const YES: u8 = 2;

/// Whether standard error can be written to without waiting.
fn takes_more() -> bool {
    let mut wanted = libc::pollfd { fd: libc::STDERR_FILENO, events: libc::POLLOUT, revents: 0 };
    // SAFETY: one valid entry; a time of 0 does not wait.
    let ready = unsafe { libc::poll(&raw mut wanted, 1, 0) };
    ready == 1 && wanted.revents & libc::POLLOUT != 0
}

/// Runs `write` so that a pipe that nobody reads costs the line and not the application: the signal is held back from
/// this thread, and taken away again if it was not already on its way to it.
fn without_sigpipe(write: impl FnOnce()) {
    let pipe = only_sigpipe();
    let mut before = MaybeUninit::<libc::sigset_t>::uninit();
    // SAFETY: both sets are valid; the old mask is written to `before`.
    if unsafe { libc::pthread_sigmask(libc::SIG_BLOCK, &raw const pipe, before.as_mut_ptr()) } != 0 {
        return;
    }
    let was_pending = sigpipe_is_pending();
    write();
    if !was_pending && sigpipe_is_pending() {
        let at_once = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: the set and the time are valid; nobody wants to know the details of the signal.
        unsafe { libc::sigtimedwait(&raw const pipe, null_mut(), &raw const at_once) };
    }
    // SAFETY: `before` was written above.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, before.as_ptr(), null_mut()) };
}

fn only_sigpipe() -> libc::sigset_t {
    let mut set = MaybeUninit::uninit();
    // SAFETY: `sigemptyset` initialises the set.
    unsafe { libc::sigemptyset(set.as_mut_ptr()) };
    // SAFETY: as above; SIGPIPE is a signal.
    unsafe { libc::sigaddset(set.as_mut_ptr(), libc::SIGPIPE) };
    // SAFETY: initialised by `sigemptyset`.
    unsafe { set.assume_init() }
}

fn sigpipe_is_pending() -> bool {
    let mut pending = MaybeUninit::uninit();
    // SAFETY: `sigpending` initialises the set.
    if unsafe { libc::sigpending(pending.as_mut_ptr()) } != 0 {
        return false;
    }
    // SAFETY: initialised, as the call has succeeded.
    unsafe { libc::sigismember(pending.as_ptr(), libc::SIGPIPE) == 1 }
}
