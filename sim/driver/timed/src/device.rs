//! The device: it does one piece of work after another, in the order in which they came, whatever their streams.
//!
//! So what is launched in several streams never runs side by side, which a card's kernels do where they leave each other room.
//! That is the order of kernels that take the whole device, as all do here.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use std::sync::OnceLock;

/// An instant: nanoseconds since this driver was first asked for the time. 0: never.
pub(crate) type Time = u64;

/// When all that was launched is done.
static DONE: AtomicU64 = AtomicU64::new(0);

/// What time it is.
pub(crate) fn now() -> Time {
    static BEGINNING: OnceLock<Instant> = OnceLock::new();
    let since = BEGINNING.get_or_init(Instant::now).elapsed();
    // No instant is "never".
    nanoseconds(since).saturating_add(1)
}

/// When all that was launched so far is done.
pub(crate) fn done() -> Time {
    DONE.load(Relaxed)
}

/// Gives the device work that takes so long and cannot begin before `ready`. When it will be done.
pub(crate) fn work(ready: Time, takes: Duration) -> Time {
    let end = |done: Time| done.max(ready).saturating_add(nanoseconds(takes));
    end(DONE.fetch_update(Relaxed, Relaxed, |done| Some(end(done))).unwrap_or_else(|done| done))
}

fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}
