//! What is under way in one stream, and whether its launches are back to back.

use policy::compute::Nanos;
use std::collections::VecDeque;

use super::epoch::Epoch;

/// After so many epochs in a row without idle time between them is a stream dense.
const STREAK: u32 = 8;
const STREAK_MAX: u32 = 4096;

/// Idle time that is none: the device needs some between one piece of work and the next.
const PAUSE: Nanos = Nanos::from_micros(5);

/// An epoch of several launches that took more than twice what they were expected to cost, and this, can have had idle time.
const SURPRISE: Nanos = Nanos::from_micros(50);

/// A stream, as the meter knows it.
#[derive(Debug)]
pub(super) struct Stream<E> {
    /// What has not been seen to be done, in the order of the stream.
    pub(super) queue: VecDeque<Epoch<E>>,
    /// When the first of them began, if it has.
    pub(super) started: Option<Nanos>,
    /// When the last one before them ended.
    ended: Option<Nanos>,
    /// When that was seen.
    pub(super) seen: Nanos,
    is_dense: bool,
    /// Whether it would not be, but for idle time that said nothing.
    is_on_trust: bool,
    streak: u32,
    needed: u32,
}

impl<E> Default for Stream<E> {
    fn default() -> Self {
        Self {
            queue: VecDeque::new(),
            started: None,
            ended: None,
            seen: Nanos::ZERO,
            is_dense: false,
            is_on_trust: false,
            streak: 0,
            needed: STREAK,
        }
    }
}

impl<E> Stream<E> {
    /// Whether `epoch`, which took `length`, can have been idle inside, so that its length does not say what its launches cost.
    pub(super) fn is_surprise(epoch: &Epoch<E>, length: Nanos) -> bool {
        let charged = epoch.tally.charged;
        epoch.tally.launches > 1 && length > charged.saturating_add(charged).saturating_add(SURPRISE)
    }

    /// Whether an epoch from `start` to `end` began as soon as the one before it had ended: then its launches were there already.
    pub(super) fn is_close(&self, start: Nanos, end: Nanos) -> bool {
        let pause = PAUSE.max(Nanos(end.saturating_sub(start).0 / 16));
        self.ended.is_some_and(|ended| start <= ended.saturating_add(pause))
    }

    /// The first epoch has lasted from `start` to `end`, with a surprise. Whether the stream is dense now, if that is new.
    ///
    /// A thread that launches some and waits leaves the device idle once for each wait. Far from the limit that
    /// [says nothing](Epoch::is_forgiven) about those some: they are measured together, as what they cost together is then exact
    /// but for the launch that the device waits for. Near the limit that would be charged, so there the stream is dense no more.
    pub(super) fn ended(
        &mut self,
        (start, end): (Nanos, Nanos),
        is_surprise: bool,
        is_forgiven: bool,
        now: Nanos,
    ) -> Option<bool> {
        let is_close = self.is_close(start, end);
        self.ended = Some(end);
        self.lost(now);
        if is_surprise {
            self.streak = 0;
            self.needed = (self.needed * 2).min(STREAK_MAX);
        } else if is_close {
            self.streak = self.streak.saturating_add(1);
            if self.streak.is_multiple_of(STREAK_MAX) {
                self.needed = (self.needed / 2).max(STREAK);
            }
        } else if is_forgiven {
            self.is_on_trust |= !self.is_dense;
        } else if !self.is_dense || self.is_on_trust {
            self.streak = 0;
        }
        let was_dense = self.is_dense && (self.streak > 0 || !self.is_on_trust);
        let is_dense = !is_surprise && (was_dense || self.streak >= self.needed);
        self.is_on_trust &= self.streak > 0;
        (core::mem::replace(&mut self.is_dense, is_dense) != is_dense).then_some(is_dense)
    }

    /// The first epoch has ended, nobody knows when.
    pub(super) fn lost(&mut self, now: Nanos) {
        self.started = None;
        self.seen = now;
    }

    /// When the first epoch is expected to end.
    pub(super) fn expected_end(&self) -> Option<Nanos> {
        self.queue.front().map(|first| first.since.max(self.seen).saturating_add(first.tally.charged))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Eight kernels of 20 µs without idle time between them, after 5 µs and more of it. What the stream is after each.
    fn eight(stream: &mut Stream<()>, now: &mut Nanos, is_forgiven: bool) -> Vec<Option<bool>> {
        const COST: Nanos = Nanos::from_micros(20);
        *now = now.saturating_add(Nanos::from_micros(10));
        let mut one = |at: u32| {
            let start = core::mem::replace(now, now.saturating_add(COST));
            stream.ended((start, *now), false, is_forgiven && at == 0, *now)
        };
        (0..8).map(&mut one).collect()
    }

    #[test]
    fn idle_time_of_a_wait_says_nothing_far_from_the_limit_and_counts_near_it() {
        let (mut stream, mut now) = (Stream::default(), Nanos::from_secs(1));
        let mut eights = |count: u32, is_forgiven| {
            (0..count).flat_map(|_| eight(&mut stream, &mut now, is_forgiven)).flatten().collect::<Vec<_>>()
        };
        assert_eq!(eights(10, false), []);
        assert_eq!(eights(2, true), [true]);
        assert_eq!(eights(10, true), []);
        assert_eq!(eights(10, false), [false]);
    }

    #[test]
    fn what_was_dense_without_waits_stays_so_near_the_limit() {
        let (mut stream, mut now) = (Stream::<()>::default(), Nanos::from_secs(1));
        let run = |stream: &mut Stream<()>, now: &mut Nanos| {
            let start = core::mem::replace(now, now.saturating_add(Nanos::from_micros(20)));
            stream.ended((start, *now), false, false, *now)
        };
        let changes: Vec<_> = (0..20).filter_map(|_| run(&mut stream, &mut now)).collect();
        assert_eq!(changes, [true]);
        assert!(eight(&mut stream, &mut now, false).iter().all(Option::is_none));
    }
}
