//! When the device came to an event.

use policy::compute::Nanos;

use super::Events;

/// How long one event is measured from. The driver tells times between events as 32-bit floating point milliseconds: half a
/// microsecond is lost in four seconds.
const RENEWAL: Nanos = Nanos::from_secs(4);

/// The events of one context, as instants of (about) the host's clock.
///
/// An event tells how long it was after another one. The first one of a context is held to have happened when the host recorded
/// it; so instants of one context are exact against each other, and against those of other contexts up to how long that event
/// was waiting in its stream.
#[derive(Clone, Copy, Debug)]
pub(super) struct Timeline<E> {
    reference: E,
    /// Its instant.
    at: Nanos,
    /// When it was made the reference.
    since: Nanos,
    /// The least time from an event to when it was seen to be done.
    lag: Nanos,
}

impl<E: Copy + PartialEq> Timeline<E> {
    /// A timeline that begins with `reference`, which was recorded at `at`.
    pub(super) fn new(reference: E, at: Nanos, now: Nanos) -> Self {
        Self { reference, at, since: now, lag: Nanos(u64::MAX) }
    }

    /// The instant of `event`; none if the driver does not tell.
    pub(super) fn instant(&self, event: E, events: &impl Events<E>) -> Option<Nanos> {
        let after = events.between(self.reference, event).map(|after| self.at.saturating_add(after));
        after.or_else(|| events.between(event, self.reference).map(|before| self.at.saturating_sub(before)))
    }

    /// What happened at `instant` was seen by somebody who began to look at `now`.
    ///
    /// It may have happened since, so the time from the one to the other is no lag: who looks late, or asks for long, would take
    /// what is under way for older than it is.
    pub(super) fn saw(&mut self, instant: Nanos, now: Nanos, events: &impl Events<E>) {
        if now.saturating_sub(instant) < self.lag {
            self.lag = self.lag.min(events.now().saturating_sub(instant));
        }
    }

    /// The instant on this timeline that is not after `now`, and close to it once something was seen.
    pub(super) fn until(&self, now: Nanos) -> Nanos {
        now.saturating_sub(self.lag)
    }

    /// Measures from `event` from now on, if it is time. Returns the event that is not needed any more.
    pub(super) fn renew(&mut self, event: E, at: Nanos, now: Nanos) -> Option<E> {
        if event == self.reference {
            return None;
        }
        if now.saturating_sub(self.since) < RENEWAL || at <= self.at {
            return Some(event);
        }
        let old = self.reference;
        *self = Self { reference: event, at, since: now, lag: self.lag };
        Some(old)
    }
}
