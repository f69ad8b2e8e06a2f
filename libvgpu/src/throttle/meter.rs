//! The thread that looks how far the devices are. It exists while there is work under a limit, and a little longer.
//!
//! It blocks all signals, which are the application's threads' to handle. It takes no part in captures: nothing that it asks the
//! driver can break one. A context is current on it only while it is asked about, under a lock that whoever ends the context
//! takes before. When the process exits it stops before the driver does.

use crate::abi::driver::real;
use crate::clock;
use crate::state::Member;
use core::mem::MaybeUninit;
use core::sync::atomic::{AtomicBool, AtomicU32, Ordering::SeqCst};
use core::time::Duration;
use cuda_sys::CUstreamCaptureMode;
use policy::compute::Nanos;
use std::sync::{Condvar, Mutex, MutexGuard, Once, PoisonError};

/// How long it stays when there is nothing to look at.
const IDLE: Duration = Duration::from_secs(1);

/// What it needs is the driver's to know: events are asked about.
const STACK: usize = 256 << 10;

/// Whether the process is exiting.
static IS_OVER: AtomicBool = AtomicBool::new(false);

/// The process whose meter is asking the driver or NVML; 0: none is.
static ASKING: AtomicU32 = AtomicU32::new(0);

/// How the meter and those who need it find each other.
#[derive(Default)]
pub(super) struct Meter {
    state: Mutex<State>,
    bell: Condvar,
}

#[derive(Default)]
struct State {
    is_there: bool,
    /// Whether it has been called since it looked.
    is_called: bool,
}

/// Whether the process is exiting: nobody is held back any more, and nothing measured.
#[inline]
pub(super) fn is_over() -> bool {
    IS_OVER.load(SeqCst)
}

impl Meter {
    /// Something is under way that somebody is to look at. Where no thread can be started, launches go on being charged what
    /// they are expected to cost.
    #[cold]
    pub(super) fn call(&self, member: &'static Member) {
        let mut state = self.lock();
        state.is_called = true;
        if state.is_there {
            self.bell.notify_one();
        } else {
            stop_before_driver();
            let started = with_signals_blocked(|| {
                let thread = std::thread::Builder::new().name("vgpu-meter".to_owned()).stack_size(STACK);
                thread.spawn(move || measure(member))
            });
            state.is_there = started.is_ok();
        }
    }

    /// Waits until `next`, or to be called; if there is no next time, whether it was.
    fn rests(&self, next: Option<Nanos>) -> bool {
        let pause = next.map_or(IDLE, |next| Duration::from_nanos(next.saturating_sub(clock::monotonic()).0));
        let mut state = self.lock();
        if !state.is_called {
            let rested = self.bell.wait_timeout(state, pause);
            state = rested.unwrap_or_else(PoisonError::into_inner).0;
        }
        let goes_on = core::mem::take(&mut state.is_called) || next.is_some();
        state.is_there = goes_on;
        goes_on
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What the thread does.
fn measure(member: &'static Member) {
    let throttles = &member.throttles;
    let mut mode = CUstreamCaptureMode::RELAXED;
    // SAFETY: `mode` is valid for reading and writing.
    let _ = unsafe { real::cuThreadExchangeStreamCaptureMode(&raw mut mode) };
    let own = std::process::id();
    loop {
        ASKING.store(own, SeqCst);
        if is_over() {
            ASKING.store(0, SeqCst);
            return;
        }
        let now = clock::monotonic();
        let next = throttles.metered().filter_map(|metered| metered.poll(now)).min();
        throttles.metered().for_each(|metered| metered.trim(member));
        ASKING.store(0, SeqCst);
        if !throttles.meter.rests(next) {
            return;
        }
    }
}

/// Has the meter stop when the process exits, before the driver does, which is loaded by now.
fn stop_before_driver() {
    static ONCE: Once = Once::new();
    stop_at_exit(&ONCE);
}

/// The same before NVML stops, which may have been loaded later, and is by now.
pub(super) fn stop_before_nvml() {
    static ONCE: Once = Once::new();
    stop_at_exit(&ONCE);
}

/// The C library calls who was registered last first.
fn stop_at_exit(once: &Once) {
    once.call_once(|| {
        // SAFETY: a function that is never unloaded. Without room for it the library in question says that it has stopped.
        let _ = unsafe { libc::atexit(stop) };
    });
}

/// Nothing is asked of the driver and of NVML from now on. What is being asked gets a moment to come back.
extern "C" fn stop() {
    const TRIES: u32 = 100;
    IS_OVER.store(true, SeqCst);
    let own = std::process::id();
    for _ in 0..TRIES {
        if ASKING.load(SeqCst) != own {
            break;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Does `work` with all signals blocked, as a thread that is started in it has them for life.
fn with_signals_blocked<T>(work: impl FnOnce() -> T) -> T {
    let mut all = MaybeUninit::<libc::sigset_t>::uninit();
    let mut before = MaybeUninit::<libc::sigset_t>::uninit();
    // SAFETY: fills the set.
    unsafe { libc::sigfillset(all.as_mut_ptr()) };
    // SAFETY: `all` is filled; the old mask is written to `before`.
    let is_blocked =
        unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, all.as_ptr(), before.as_mut_ptr()) } == 0;
    let result = work();
    if is_blocked {
        // SAFETY: written above.
        unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, before.as_ptr(), core::ptr::null_mut()) };
    }
    result
}
