//! Waiting for one's time.
//!
//! By the kernel's clock, to the end: to spin for the last of it would be more exact by the kernel's wake-up, some 50 µs, which a
//! finish time in the past makes up for, and would cost a container of eight processes a core.

use super::device::Metered;
use crate::clock;
use crate::state::undisturbed;
use policy::compute::finish::{self, sooner};
use policy::compute::{Nanos, Patience, gate};

/// Waits until `start`, or until a limit that is looser than it was would have let this thread go, or until the launch has lost
/// its `patience`.
pub(super) fn until(metered: &Metered, start: Nanos, patience: &mut Patience) {
    let begin = clock::monotonic();
    if begin >= start {
        return;
    }
    metered.shared.stats.begin_wait();
    let (mut now, mut start, mut share) = (begin, start.min(patience.until(begin)), metered.share());
    while now < start {
        clock::sleep_until(start.min(now.saturating_add(finish::LOOK)));
        now = clock::monotonic();
        metered.glance(now);
        let new = metered.share();
        start = sooner(now, start, share, new);
        share = new;
    }
    metered.shared.stats.end_wait(now.saturating_sub(begin));
}

/// Waits while the gate is closed and the launch has `patience`, but for the one of the slice that goes through now and then.
pub(super) fn for_gate(metered: &Metered, patience: &mut Patience) {
    let is_closed = || metered.device.limit.is_gated();
    let begin = clock::monotonic();
    let (mut now, end) = (begin, patience.until(begin));
    metered.shared.stats.begin_wait();
    while now < end && is_closed() {
        let Err(again) = metered.shared.gate.pass(now) else { break };
        clock::sleep_until(again.min(now.saturating_add(gate::LOOK)));
        now = clock::monotonic();
    }
    metered.shared.stats.end_wait(now.saturating_sub(begin));
}

/// The time in which a launch waits for another one to be measured.
#[derive(Default)]
pub(super) struct Pause(Option<Nanos>);

impl Pause {
    /// Gives the device a moment, `until` at most, and looks what has become of the measurement.
    pub(super) fn rest(&mut self, metered: &Metered, until: Nanos) {
        let now = clock::monotonic();
        if self.0.is_none() {
            metered.shared.stats.begin_wait();
            self.0 = Some(now);
        }
        let next = undisturbed(|| metered.look());
        clock::sleep_until(next.map_or(until, |next| next.min(until)));
        undisturbed(|| metered.look());
    }

    /// It is over.
    pub(super) fn end(&mut self, metered: &Metered) {
        if let Some(begin) = self.0.take() {
            metered.shared.stats.end_wait(clock::monotonic().saturating_sub(begin));
        }
    }
}
