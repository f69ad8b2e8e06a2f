//! How much of a device's time the slice has used lately, by its own measure.

use crate::clock;
use policy::compute::Nanos;
use shared_region::BriefLock;

/// The least time between two readings, the shortest over which NVML itself tells the use of a device.
const WINDOW: Nanos = Nanos(1_000_000_000 / 6);

/// What the slice had used by a moment.
#[derive(Clone, Copy)]
struct Reading {
    at: Nanos,
    busy: Nanos,
}

/// The last reading, and what was told of the time before it.
#[derive(Default)]
pub(crate) struct Lately(BriefLock<Option<(Reading, u32)>>);

impl Lately {
    /// Use since the last question, in percent; the first question takes a moment to answer. `busy` tells what the slice has
    /// used so far.
    pub(super) fn percent(&self, busy: impl Fn() -> Nanos) -> u32 {
        let read = || Reading { at: clock::monotonic(), busy: busy() };
        let last = *self.0.lock();
        let (before, now) = match (last, read()) {
            (Some((before, told)), now) if now.at.saturating_sub(before.at) < WINDOW => return told,
            (Some((before, _)), now) => (before, now),
            (None, before) => (before, after(before.at.saturating_add(WINDOW), read)),
        };
        let told = percent(before, now);
        *self.0.lock() = Some((now, told));
        told
    }
}

/// What `read` gives at `instant`.
fn after(instant: Nanos, read: impl Fn() -> Reading) -> Reading {
    while clock::monotonic() < instant {
        clock::sleep_until(instant);
    }
    read()
}

/// Use between two readings.
fn percent(before: Reading, now: Reading) -> u32 {
    let (used, passed) = (now.busy.saturating_sub(before.busy), now.at.saturating_sub(before.at));
    let percent = (u128::from(used.0) * 100 + u128::from(passed.0) / 2) / u128::from(passed.0.max(1));
    u32::try_from(percent).map_or(100, |percent| percent.min(100))
}
