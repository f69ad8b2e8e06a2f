//! One launch, from its admission to its end.

use policy::compute::Nanos;

use super::epoch::{Open, Tally};
use super::{Lease, Recorder, Throttle, Work};

/// What comes of asking to launch.
#[must_use]
pub enum Admission<'t, E> {
    /// It may be launched, as the turn says.
    Granted(Turn<'t, E>),
    /// Nobody knows well enough what such a launch costs, and one is under way that will tell. Ask again when the
    /// [poll](Throttle::poll) has had a chance to see that it is done, and at this instant at the latest.
    Measuring(Nanos),
}

/// A launch that was admitted and paid for: to be waited for, begun, made and ended, in this order.
#[must_use]
pub struct Turn<'t, E> {
    throttle: &'t Throttle<E>,
    lease: &'t mut Lease<E>,
    work: Work,
    cost: Nanos,
    kind: Kind,
    start: Option<Nanos>,
}

/// What is known of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// What it costs, about.
    Known,
    /// Nothing; it is the one that tells.
    First,
    /// Little, or nothing and another one tells.
    Learning,
}

impl<'t, E: Copy + PartialEq> Turn<'t, E> {
    #[inline]
    pub(super) fn new(
        throttle: &'t Throttle<E>,
        lease: &'t mut Lease<E>,
        work: Work,
        cost: Nanos,
        kind: Kind,
        start: Option<Nanos>,
    ) -> Self {
        Self { throttle, lease, work, cost, kind, start }
    }

    /// Until when to wait before the launch, 2 s at most. Whatever is charged later does not put it off.
    #[must_use]
    #[inline]
    pub fn start(&self) -> Option<Nanos> {
        self.start
    }

    /// To be called right before the launch: begins an epoch, if there is none that the launch can be part of.
    #[inline]
    pub fn before(&mut self, recorder: &mut impl Recorder<E>) {
        let forgotten = self.throttle.modes.forgotten();
        let goes_on = self.lease.open.as_ref().is_some_and(|open| open.takes(&self.work, forgotten));
        if !goes_on || self.kind != Kind::Known || !self.is_measured_enough() {
            self.begin(recorder);
        }
    }

    /// Whether the open epoch is measured, or nothing depends on whether the launch is.
    fn is_measured_enough(&self) -> bool {
        let is_unmeasured = self.lease.open.as_ref().is_some_and(|open| open.start.is_none());
        !is_unmeasured || self.throttle.costs.is_steady(self.work.key)
    }

    fn begin(&mut self, recorder: &mut impl Recorder<E>) {
        self.throttle.end_epoch(self.lease, self.work.stream, recorder);
        if self.throttle.backlog.is_full() {
            return;
        }
        let (birth, is_dense) = self.throttle.modes.of(self.work.stream);
        let is_steady = self.lease.steadiness.begin(self.work.stream);
        let stays_open = is_dense && is_steady && self.kind == Kind::Known;
        let is_usual = self.kind == Kind::Known && self.throttle.costs.is_steady(self.work.key);
        let is_forgiven = self.lease.sampling.forgives();
        let about = recorder.about();
        let (since, start) = if self.lease.sampling.skips(about, is_usual.then_some(self.cost)) {
            (about, None)
        } else {
            // Before the event: the device may be idle from then on until the launch.
            let since = recorder.now();
            self.lease.sampling.measures(since);
            let Some(start) = recorder.record() else { return };
            (since, Some(start))
        };
        self.lease.open = Some(Open {
            stream: self.work.stream,
            birth,
            stays_open,
            forgotten: self.throttle.modes.forgotten(),
            start,
            since,
            is_awaited: self.kind != Kind::Known,
            is_forgiven,
            tally: Tally::default(),
        });
    }

    /// To be called right after the launch, with whether the driver took it: ends the epoch, if it is to end here. What was
    /// not launched is paid back.
    #[inline]
    pub fn after(self, launched: bool, recorder: &mut impl Recorder<E>) {
        if !launched {
            self.refund();
            return;
        }
        self.lease.launches += 1;
        let Some(open) = self.lease.open.as_mut() else {
            self.unmeasured();
            return;
        };
        open.tally.add(self.work.key, self.cost);
        if !open.stays_open || open.tally.is_full() || !self.lease.reserved.covers(self.cost) {
            self.throttle.end_epoch(self.lease, self.work.stream, recorder);
        }
    }

    /// The launch cannot be measured, so nobody is to wait for that.
    fn unmeasured(&self) {
        if self.kind != Kind::Known {
            self.throttle.costs.assume(self.work.key, self.cost);
        }
    }

    fn refund(self) {
        if self.kind != Kind::Known {
            self.throttle.costs.give_up(self.work.key);
        }
        self.throttle.owe(Nanos::ZERO.minus(self.cost));
        if let Some(open) = self.lease.open.take_if(|open| open.tally.launches == 0) {
            open.start.into_iter().for_each(|event| self.throttle.leave_unused(event));
        }
    }
}
