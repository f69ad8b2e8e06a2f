//! What one process knows of its launches on one device.

use core::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use policy::compute::finish::Reservation;
use policy::compute::trim::Trim;
use policy::compute::{Nanos, cost};
use shared_region::BriefLock;
use shared_region::compute::FinishWord;

use super::attention::Attention;
use super::backlog::{self, Backlog};
use super::burst::Bursts;
use super::costs::{Cost, Costs};
use super::counts::Counting;
use super::epoch::{Epoch, Inbox, Open, Seen};
use super::linger::Linger;
use super::meter::Meter;
use super::modes::Modes;
use super::rhythm::UNMEASURED_MAX;
use super::turn::Kind;
use super::{Admission, Lease, Recorder, StreamId, Terms, Turn, Work};
use crate::ContextId;

/// The launches of one process on one device. `E` is an event of the driver.
///
/// It belongs to the process that made it. A forked child makes its own, and leaves its copy of this one alone: a thread that the
/// child does not have may hold its locks. Leases that the child finds on its threads are empty for another throttle.
pub struct Throttle<E> {
    /// Tells this one from all others of the process and of those it is a fork of.
    pub(super) number: u64,
    pub(super) costs: Costs,
    pub(super) modes: Modes,
    pub(super) counting: Counting,
    bursts: Bursts,
    /// GPU time to be charged, or given back, the next time somebody comes to the finish time.
    pub(super) owed: AtomicI64,
    /// Whether somebody comes and polls.
    pub(super) attention: Attention,
    pub(super) linger: Linger,
    /// How much was left for the meter.
    pub(super) backlog: Backlog,
    /// What was left for the meter.
    pub(super) inbox: BriefLock<Inbox<E>>,
    pub(super) meter: Mutex<Meter<E>>,
}

impl<E: Copy> Default for Throttle<E> {
    fn default() -> Self {
        static NUMBER: AtomicU64 = AtomicU64::new(1);
        Self {
            number: NUMBER.fetch_add(1, Ordering::Relaxed),
            costs: Costs::default(),
            modes: Modes::default(),
            counting: Counting::default(),
            bursts: Bursts::default(),
            owed: AtomicI64::new(0),
            attention: Attention::default(),
            linger: Linger::default(),
            backlog: Backlog::default(),
            inbox: BriefLock::default(),
            meter: Mutex::default(),
        }
    }
}

impl<E: Copy + PartialEq> Throttle<E> {
    /// Asks to launch `work` now.
    ///
    /// Within a lease that touches neither the clock nor the finish time, and `terms` are not asked for.
    #[inline]
    pub fn admit<'t>(
        &'t self,
        lease: &'t mut Lease<E>,
        work: Work,
        terms: impl FnOnce() -> Terms,
        finish: &FinishWord,
        recorder: &mut impl Recorder<E>,
    ) -> Admission<'t, E> {
        lease.belong_to(self.number, &self.bursts);
        match self.costs.known(work.key) {
            Some(cost) if lease.reserved.spend(cost) => {
                Admission::Granted(Turn::new(self, lease, work, cost, Kind::Known, None))
            }
            _ => self.queue(lease, work, terms, finish, recorder),
        }
    }

    /// Reserves time for `work`, and for what is expected to follow.
    fn queue<'t>(
        &'t self,
        lease: &'t mut Lease<E>,
        work: Work,
        terms: impl FnOnce() -> Terms,
        finish: &FinishWord,
        recorder: &mut impl Recorder<E>,
    ) -> Admission<'t, E> {
        let now = recorder.now();
        let unknown = cost::UNKNOWN.max(work.least_cost);
        let (cost, kind, is_awaited) = match self.costs.look(work.key, now) {
            Cost::Known(cost) => (cost, Kind::Known, false),
            Cost::Learning(cost) => (cost, Kind::Learning, false),
            Cost::Unknown => (unknown, Kind::First, false),
            Cost::Awaited(cost) => (cost, Kind::Learning, true),
            Cost::Measuring(so_far) => (unknown.max(so_far), Kind::Learning, true),
        };
        if is_awaited && let Some(until) = lease.pause(work.key, now) {
            self.end_epoch(lease, work.stream, recorder);
            return Admission::Measuring(until);
        }
        lease.resume();
        let start = if lease.reserved.spend(cost) {
            None
        } else {
            self.reserve(lease, (work.stream, cost), terms(), finish, now)
        };
        if start.is_some() {
            self.end_epoch(lease, work.stream, recorder);
        }
        Admission::Granted(Turn::new(self, lease, work, cost, kind, start))
    }

    /// Renews the lease so that it covers `cost`, and spends that. Until when to wait.
    fn reserve(
        &self,
        lease: &mut Lease<E>,
        (stream, cost): (StreamId, Nanos),
        terms: Terms,
        finish: &FinishWord,
        now: Nanos,
    ) -> Option<Nanos> {
        self.counting.launched(core::mem::take(&mut lease.launches));
        let Terms { share, trim, .. } = terms;
        finish.correct(now, share, trimmed(trim, self.owed.swap(0, Ordering::Relaxed)));
        let left = lease.reserved.take();
        let is_one_of_several = self.bursts.are_several(now);
        let before = finish.load();
        let wanted = lease.wanted(cost, now, before, is_one_of_several).max(left);
        let charge = trim.apply(wanted.saturating_sub(left));
        lease.sampling.note(share, before.credit(now));
        let reservation = finish.reserve(now, share, charge);
        lease.charge = charge;
        lease.paid = reservation.start.saturating_add(share.wall(charge));
        let each = share.wall(trim.apply(cost));
        let together = self.bursts.join(lease.thread, stream, reservation.start, each);
        let start = Reservation { start: together, ..reservation }.wait_until(now);
        lease.renew(wanted, (now, start.unwrap_or(now)));
        // It covers one launch at least.
        let _covered = lease.reserved.spend(cost);
        start
    }

    /// Ends the epoch that this thread has left open, by recording an event in `stream`. To be called before the thread waits for
    /// the stream, or for anything that can take long.
    ///
    /// An epoch of another stream cannot be ended so, and counts as what it was expected to cost.
    pub fn end_epoch(&self, lease: &mut Lease<E>, stream: StreamId, recorder: &mut impl Recorder<E>) {
        lease.belong_to(self.number, &self.bursts);
        // Looked at in place: most epochs of a thread that waits for each launch are not measured, and need not be moved.
        let Some(open) = &lease.open else { return };
        let is_same = open.stream == stream
            && (open.forgotten == self.modes.forgotten() || self.modes.is(stream, open.birth));
        if !is_same {
            lease.steadiness.lost();
        }
        let Some(start) = open.start else { return self.end_unmeasured(lease, open.tally.charged) };
        let Some(open) = lease.open.take() else { return };
        let now = recorder.now();
        let span = now.saturating_sub(open.since);
        let end = if is_same && open.tally.launches > 0 { recorder.record() } else { None };
        let Some(end) = end else {
            open.tally.assume(&self.costs);
            return self.leave_unused(start);
        };
        let Open { since, is_awaited, is_forgiven, tally, .. } = open;
        let is_much = self.backlog.add().is_multiple_of(backlog::MUCH);
        self.inbox.lock().epochs.push(Epoch {
            stream,
            start,
            end,
            since,
            span,
            is_awaited,
            is_forgiven,
            tally,
        });
        if is_much || self.attention.is_expected(now) {
            self.attention.hurry();
        }
        self.attention.want();
    }

    /// Leaves the epoch that this thread has open, where no event can be recorded in its stream. It counts as what it was expected
    /// to cost.
    pub(super) fn leave_epoch(&self, lease: &mut Lease<E>) {
        lease.belong_to(self.number, &self.bursts);
        if let Some(open) = lease.open.take() {
            lease.steadiness.lost();
            match open.start {
                Some(event) => self.leave_unused(event),
                None => self.end_unmeasured(lease, open.tally.charged),
            }
        }
    }

    /// Ends the epoch that is open, if one still is, which is not measured and was expected to cost `charged`.
    fn end_unmeasured(&self, lease: &mut Lease<E>, charged: Nanos) {
        lease.open = None;
        lease.sampling.end(charged);
        let mut inbox = self.inbox.lock();
        let before = inbox.unmeasured;
        inbox.unmeasured = before.saturating_add(charged);
        if before < UNMEASURED_MAX && inbox.unmeasured >= UNMEASURED_MAX {
            self.attention.hurry();
        }
    }

    /// The thread begins to wait for all that it has launched, and has [ended](Self::end_epoch) its epoch. Whether it is to say
    /// for how long it [waited](Self::has_waited).
    pub fn begins_to_wait(&self, lease: &mut Lease<E>) -> bool {
        lease.belong_to(self.number, &self.bursts);
        lease.sampling.wait()
    }

    /// By `now` the thread has waited for `blocked`, for work that is not measured: that took as long, at least, up to what a
    /// coarse clock tells.
    pub fn has_waited(&self, lease: &mut Lease<E>, now: Nanos, blocked: Nanos) {
        if let Some((certain, charged)) = lease.sampling.waited(blocked) {
            self.inbox.lock().seen.push(Seen { from: now.saturating_sub(certain), to: now, charged });
            self.attention.hurry();
            self.attention.want();
        }
    }

    /// Hands back what the thread has in hand, which ends.
    pub fn retire(&self, lease: &mut Lease<E>) {
        self.leave_epoch(lease);
        self.counting.launched(core::mem::take(&mut lease.launches));
        self.owe(Nanos::ZERO.minus(lease.reserved.take()));
    }

    /// The stream is about to be destroyed, or its thread to end. What was launched in it is still measured.
    pub fn forget_stream(&self, stream: StreamId) {
        self.modes.forget(stream);
    }

    /// The context is about to be destroyed, and its events with it.
    ///
    /// What it has launched and what has not been measured counts as what it was expected to cost, or as long as it has run.
    pub fn forget_context(&self, context: ContextId) {
        self.modes.forget_all();
        let mut meter = self.meter.lock().unwrap_or_else(PoisonError::into_inner);
        meter.collect(&self.inbox);
        self.backlog.remove(meter.forget(context, &self.costs));
    }

    /// What a launch of `key` is expected to cost, if one has been measured.
    #[must_use]
    pub fn expected(&self, key: u64) -> Option<Nanos> {
        self.costs.estimate(key)
    }

    /// What is known by `key` has changed, or is gone.
    pub fn forget_work(&self, key: u64) {
        self.costs.forget(key);
    }

    /// Leaves an event that measures nothing. Nobody need come for a few.
    pub(super) fn leave_unused(&self, event: E) {
        let are_many = self.backlog.add().is_multiple_of(backlog::STRAY);
        self.inbox.lock().unused.push(event);
        if are_many {
            self.attention.want();
        }
    }

    /// Charges so much more GPU time, or gives it back, at the next opportunity.
    pub(super) fn owe(&self, time: i64) {
        self.owed.fetch_add(time, Ordering::Relaxed);
    }
}

/// What a correction is after trimming.
pub(super) fn trimmed(trim: Trim, time: i64) -> i64 {
    let size = trim.apply(Nanos(time.unsigned_abs()));
    if time < 0 { Nanos::ZERO.minus(size) } else { size.minus(Nanos::ZERO) }
}
