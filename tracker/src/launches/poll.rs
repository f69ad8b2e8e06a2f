//! Looking how far the device is.

use core::sync::atomic::Ordering;
use std::sync::TryLockError;

use policy::compute::Nanos;
use shared_region::compute::FinishWord;

use super::counts::Counts;
use super::meter::{self, Found};
use super::throttle::trimmed;
use super::{Events, Terms, Throttle, rhythm, sampling};

impl<E: Copy + PartialEq> Throttle<E> {
    /// Looks at `now` how far the device is, and charges what work has cost more than was expected, or less.
    ///
    /// Returns when to come back: about when the next piece of work is expected to end. Never, while nothing is under way; then
    /// [`needs_poll`](Self::needs_poll) says when something is.
    pub fn poll(
        &self,
        now: Nanos,
        events: &impl Events<E>,
        finish: &FinishWord,
        terms: Terms,
    ) -> Option<Nanos> {
        self.attention.look_away();
        self.linger.begin(now);
        let Some(found) = self.see(now, events, finish, terms) else {
            self.attention.stay();
            return Some(now.saturating_add(meter::SOON));
        };
        let again = if found.has_ended { self.linger.again(now, found.pause) } else { None };
        let next = found.next.or(again);
        let Some(next) = next else {
            self.linger.leave();
            return None;
        };
        self.attention.stay();
        if found.pause < rhythm::LONG {
            return Some(next);
        }
        // By then somebody calls, who is awake, unless nothing is launched.
        self.attention.expect(next);
        Some(next.saturating_add(found.pause))
    }

    /// Does the same for somebody who waits for a [measurement](super::Admission::Measuring), and will not come back.
    pub fn look(
        &self,
        now: Nanos,
        events: &impl Events<E>,
        finish: &FinishWord,
        terms: Terms,
    ) -> Option<Nanos> {
        self.see(now, events, finish, terms)
            .map_or_else(|| Some(now.saturating_add(meter::SOON)), |found| found.next)
    }

    /// Looks how far the device is. `None`: somebody else does at this moment.
    fn see(&self, now: Nanos, events: &impl Events<E>, finish: &FinishWord, terms: Terms) -> Option<Found> {
        let mut meter = match self.meter.try_lock() {
            Ok(meter) => meter,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return None,
        };
        meter.collect(&self.inbox);
        let is_far = sampling::is_far(finish.load().credit(now));
        meter.rhythm().allow(is_far, terms.is_shared_out);
        let report = |since, busy| finish.report(since, now, busy);
        let found = meter.look(now, events, (&self.costs, &self.modes), report);
        self.counting.was_busy(found.busy);
        self.backlog.remove(found.taken);
        let longer = found.longer.minus(terms.share.gpu(found.longer));
        let owed =
            found.correction.saturating_add(longer).saturating_add(self.owed.swap(0, Ordering::Relaxed));
        finish.correct(now, terms.share, trimmed(terms.trim, owed));
        Some(found)
    }

    /// Whether something is under way that nobody is going to [poll](Self::poll) for. Says so once: whoever hears it is to do
    /// that, or to wake who does. To be asked after launches; costs a load.
    #[inline]
    pub fn needs_poll(&self) -> bool {
        self.attention.is_wanted()
    }

    /// What happened since the last call.
    pub fn take_counts(&self) -> Counts {
        self.counting.take()
    }
}
