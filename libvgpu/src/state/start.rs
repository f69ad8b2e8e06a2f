//! The start-up state machine.
//!
//! Not a `Once`: a call that comes back in while the same thread starts up (a driver library may look symbols up in
//! its constructor) must be answered, not blocked, and a child forked in the middle must be able to start anew.

use super::Slice;
use super::settings::Settings;
use crate::report;
use core::ffi::c_long;
use core::ptr::null_mut;
use core::sync::atomic::{
    AtomicI64, AtomicPtr, AtomicU64, Ordering::Acquire, Ordering::Relaxed, Ordering::Release,
};
use core::time::Duration;

/// The slice of this process cannot be set up; why has been written to standard error.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Failed;

const UNSTARTED: u64 = 0;
const PASS_THROUGH: u64 = 1;
const ENFORCING: u64 = 2;
const FAILED: u64 = 3;
/// Starting: this plus the id of the process that does.
const STARTING: u64 = 1 << 32;

/// How long to wait before looking again whether another thread has started.
const PAUSE: Duration = Duration::from_micros(50);

static PHASE: AtomicU64 = AtomicU64::new(UNSTARTED);
static STARTER: AtomicI64 = AtomicI64::new(0);
static SLICE: AtomicPtr<Slice> = AtomicPtr::new(null_mut());

/// The slice this process lives in; `None` when nothing limits it.
#[inline]
pub(crate) fn slice() -> Result<Option<&'static Slice>, Failed> {
    match PHASE.load(Acquire) {
        PASS_THROUGH => Ok(None),
        // SAFETY: stored before ENFORCING was, never freed.
        ENFORCING => Ok(unsafe { SLICE.load(Relaxed).as_ref() }),
        FAILED => Err(Failed),
        _ => start(),
    }
}

/// Decides what this process is, if that has not been done.
pub(crate) fn started() -> Result<(), Failed> {
    slice().map(|_| ())
}

#[cold]
fn start() -> Result<Option<&'static Slice>, Failed> {
    loop {
        let phase = PHASE.load(Acquire);
        if (PASS_THROUGH..=FAILED).contains(&phase) {
            return slice();
        }
        let mine = STARTING + u64::from(std::process::id());
        if phase != mine {
            // Nobody has started, or the parent of this process was at it when it forked.
            if PHASE.compare_exchange(phase, mine, Acquire, Acquire).is_ok() {
                STARTER.store(thread_id(), Relaxed);
                PHASE.store(run(), Release);
            }
        } else if STARTER.load(Relaxed) == thread_id() {
            return Ok(None);
        } else {
            // One of higher priority that only yields would keep the starter from running.
            std::thread::sleep(PAUSE);
        }
    }
}

/// Sets up the slice and answers with the phase that follows.
fn run() -> u64 {
    let slice = Settings::read().and_then(|settings| settings.map(Slice::open).transpose());
    match slice {
        Ok(None) => PASS_THROUGH,
        Ok(Some(slice)) => {
            SLICE.store(Box::into_raw(Box::new(slice)), Relaxed);
            ENFORCING
        }
        Err(reason) => {
            report::line(&reason);
            FAILED
        }
    }
}

fn thread_id() -> c_long {
    // Not the function of this name: glibc has it since 2.30, and a library that asks for more than there is does not load.
    // SAFETY: `gettid` has no preconditions.
    unsafe { libc::syscall(libc::SYS_gettid) }
}
