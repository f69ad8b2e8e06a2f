//! What one thread has in hand of a device.

use policy::compute::Nanos;
use policy::compute::finish::Finish;
use policy::compute::lease::{self, LAUNCHES_MAX};

use super::StreamId;
use super::burst::Bursts;
use super::epoch::Open;
use super::sampling::Sampling;

/// How long a launch waits for another one of its key that is being measured.
const PATIENCE: Nanos = Nanos::from_millis(10);

/// A lease that was used up within this time is followed by a larger one.
const QUICK: Nanos = Nanos::from_millis(10);

/// After so many epochs in a row in one stream may the next one be left open.
const STEADY: u32 = 16;
const STEADY_MAX: u32 = 4096;

/// What a thread has reserved of a device's time, and the epoch it has begun there. One a thread and device.
///
/// A thread that ends without [handing it back](super::Throttle::retire) takes no more with it than what it has reserved, at most
/// a millisecond of GPU time (or one launch, if that costs more), an event, and what the launches of one epoch cost more or
/// less than they were expected to.
#[derive(Debug)]
pub struct Lease<E> {
    /// Whose it is; 0 = nobody's yet.
    throttle: u64,
    /// Which of its threads.
    pub(super) thread: u64,
    pub(super) reserved: lease::Lease,
    /// Since when what is reserved may be used.
    pub(super) since: Nanos,
    /// What was reserved last, and when that will be paid off.
    pub(super) charge: Nanos,
    pub(super) paid: Nanos,
    /// How many launches the next lease is for, at most.
    step: u32,
    /// Until when to wait for the measurement of a key.
    pause: Option<(u64, Nanos)>,
    pub(super) open: Option<Open<E>>,
    /// Launches that were not counted yet.
    pub(super) launches: u32,
    pub(super) steadiness: Steadiness,
    pub(super) sampling: Sampling,
}

impl<E> Default for Lease<E> {
    fn default() -> Self {
        Self {
            throttle: 0,
            thread: 0,
            reserved: lease::Lease::EMPTY,
            since: Nanos::ZERO,
            charge: Nanos::ZERO,
            paid: Nanos::ZERO,
            step: 1,
            pause: None,
            open: None,
            launches: 0,
            steadiness: Steadiness::default(),
            sampling: Sampling::default(),
        }
    }
}

impl<E> Lease<E> {
    /// Makes it a lease of `throttle`: an empty one, if it was another's, such as that of the process this one is a fork of.
    #[inline]
    pub(super) fn belong_to(&mut self, throttle: u64, bursts: &Bursts) {
        if !self.belongs_to(throttle) {
            *self = Self { throttle, thread: bursts.thread(), ..Self::default() };
        }
    }

    #[inline]
    pub(super) const fn belongs_to(&self, throttle: u64) -> bool {
        self.throttle == throttle
    }

    /// How much GPU time to have in hand for launches of `cost` each, while the finish time is `finish`. At least what one launch
    /// needs.
    ///
    /// Others of this process may be waiting as well: then what is left at the end of a burst is to be little for each.
    pub(super) fn wanted(&self, cost: Nanos, now: Nanos, finish: Finish, is_one_of_several: bool) -> Nanos {
        // What is owed beside this thread's own last lease is what others have reserved that wait, or have just waited.
        let own = finish.share().map_or(Nanos::ZERO, |share| share.gpu(self.paid.saturating_sub(now)));
        let own = own.min(self.charge);
        let others = finish.debt(now).saturating_sub(own);
        let most = Nanos(cost.0.saturating_mul(u64::from(self.step)));
        let in_turns = is_one_of_several || others > lease::TIME_MAX_IN_TURNS;
        lease::size(cost, in_turns).min(most).max(cost)
    }

    /// A new lease, asked for at `now`, begins at `start`.
    ///
    /// A thread begins with a lease of one launch, and the next is for twice as many if this one was used up soon. So a thread
    /// that ends, or pauses, has not reserved much more than it has used.
    pub(super) fn renew(&mut self, time: Nanos, (now, start): (Nanos, Nanos)) {
        self.step =
            if now.saturating_sub(self.since) > QUICK { 1 } else { (self.step * 2).min(LAUNCHES_MAX) };
        self.since = start;
        self.reserved.renew(time);
    }

    /// Until when to wait for the measurement of `key`, of which it was known first at `now`. None: that was long enough.
    pub(super) fn pause(&mut self, key: u64, now: Nanos) -> Option<Nanos> {
        let until = match self.pause {
            Some((paused, until)) if paused == key => until,
            _ => now.saturating_add(PATIENCE),
        };
        self.pause = Some((key, until));
        (now < until).then_some(until)
    }

    /// The pause is over.
    pub(super) fn resume(&mut self) {
        self.pause = None;
    }
}

/// Whether a thread keeps to one stream for long enough that an epoch can be left open: only a launch in the same stream, or
/// a call that waits for it, ends it where it should end.
#[derive(Debug)]
pub(super) struct Steadiness {
    stream: Option<StreamId>,
    /// Epochs in that stream in a row.
    run: u32,
    /// How many it takes.
    needed: u32,
}

impl Default for Steadiness {
    fn default() -> Self {
        Self { stream: None, run: 0, needed: STEADY }
    }
}

impl Steadiness {
    /// An epoch begins in `stream`. Whether it may be left open.
    pub(super) fn begin(&mut self, stream: StreamId) -> bool {
        if self.stream != Some(stream) {
            self.stream = Some(stream);
            self.run = 0;
        }
        self.run = self.run.saturating_add(1);
        if self.run.is_multiple_of(STEADY_MAX) {
            self.needed = (self.needed / 2).max(STEADY);
        }
        self.run > self.needed
    }

    /// An epoch was left open, and cannot be ended where it should have been.
    pub(super) fn lost(&mut self) {
        self.run = 0;
        self.needed = (self.needed * 2).min(STEADY_MAX);
    }
}
