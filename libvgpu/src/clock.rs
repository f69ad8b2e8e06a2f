//! What time it is.

use crate::errno;
use policy::compute::Nanos;
use std::time::{SystemTime, UNIX_EPOCH};

/// Nanoseconds since 1970; 0 on a clock set before that.
pub(crate) fn realtime_ns() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
}

/// Milliseconds since some moment before this process, to within a few; a memory access rather than a system call.
pub(crate) fn monotonic_ms() -> u64 {
    coarse().0 / 1_000_000
}

/// About [`monotonic`], up to ten milliseconds before it; a memory access.
pub(crate) fn coarse() -> Nanos {
    since_boot(libc::CLOCK_MONOTONIC_COARSE)
}

/// The instant of `CLOCK_MONOTONIC`, which all processes of a machine share, but for those in a time namespace.
pub(crate) fn monotonic() -> Nanos {
    since_boot(libc::CLOCK_MONOTONIC)
}

fn since_boot(clock: libc::clockid_t) -> Nanos {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `now` is valid for writing. The clocks exist since Linux 2.6.32; without one the time stays 0.
    unsafe { libc::clock_gettime(clock, &raw mut now) };
    let (seconds, rest) = (u64::try_from(now.tv_sec).unwrap_or(0), u64::try_from(now.tv_nsec).unwrap_or(0));
    Nanos::from_secs(seconds).saturating_add(Nanos(rest))
}

/// Sleeps until `instant` of [`monotonic`], or until a signal has been handled.
///
/// By the system call itself: the C library's function is a point at which a thread can be cancelled, and none may be in here.
pub(crate) fn sleep_until(instant: Nanos) {
    const SECOND: u64 = 1_000_000_000;
    let until = libc::timespec {
        tv_sec: libc::time_t::try_from(instant.0 / SECOND).unwrap_or(libc::time_t::MAX),
        // Below a second, so that it fits.
        tv_nsec: libc::c_long::try_from(instant.0 % SECOND).unwrap_or(0),
    };
    errno::kept(|| {
        // SAFETY: `until` is valid for reading; what is left of the time is not asked for.
        unsafe {
            libc::syscall(
                libc::SYS_clock_nanosleep,
                libc::CLOCK_MONOTONIC,
                libc::TIMER_ABSTIME,
                &raw const until,
                core::ptr::null_mut::<libc::timespec>(),
            )
        };
    });
}
