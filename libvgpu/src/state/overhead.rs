//! What contexts take. No call tells: it is learned from what NVML says before and after the first one, and kept in the
//! region for every later context on that GPU.

use super::contexts::Known;
use super::gpus::{self, InUse};
use super::identity::Before;
use super::observed;
use super::refusal::refused;
use super::reservation::Reservation;
use super::turn::Turn;
use contract::Bytes;
use cuda_sys::CUresult;
use shared_region::MemoryClass;

/// What a context is taken to need until that is known: more than any measured on a current GPU, so that several
/// processes that start together do not go over the limit by a context each.
const UNKNOWN: Bytes = Bytes(512 << 20);

/// What is believed to be one context and nothing else.
const PLAUSIBLE: core::ops::RangeInclusive<Bytes> = Bytes(16 << 20)..=Bytes(1 << 30);

/// The same where only the whole device's use can be seen: more than that are two contexts that came at once.
const PLAUSIBLE_OF_DEVICE: core::ops::RangeInclusive<Bytes> = *PLAUSIBLE.start()..=UNKNOWN;

/// A context that is about to be created. Dropped, it has not been.
pub(crate) struct NewContext<'a> {
    turn: &'a Turn,
    reservation: Reservation,
    /// What was in use before, if its size is to be learned.
    before: Option<Sample>,
    /// Who was there before, if this process's id is to be learned.
    others: Option<Before>,
}

/// What was in use at one moment.
struct Sample {
    told: InUse,
    /// What this process had been charged, without the context in question.
    charged: Bytes,
}

impl<'a> NewContext<'a> {
    /// Sets aside what a context on the device takes, as far as that is known.
    ///
    /// # Errors
    /// What to answer without asking the driver.
    pub(crate) fn prepare(turn: &'a Turn) -> Result<Self, CUresult> {
        let limit = turn.device.limit.bytes();
        let learned = learned(turn);
        let before = if learned.is_none() { Sample::take(turn, Bytes::ZERO) } else { None };
        let reservation = Reservation::take(
            turn.place(),
            MemoryClass::Context,
            learned.unwrap_or_else(|| UNKNOWN.min(limit)),
        )?;
        // Nothing can live in an empty slice, not even a context of unknown size.
        if limit == Bytes::ZERO {
            Err(refused(turn.place(), MemoryClass::Context, learned.unwrap_or(UNKNOWN)))
        } else {
            let others = turn.member.identity.watch(turn.device.uuid);
            Ok(Self { turn, reservation, before, others })
        }
    }

    /// The driver has created the context `handle`.
    pub(crate) fn created(mut self, handle: usize) {
        let identity = &self.turn.member.identity;
        let came = self.others.as_ref().map_or(0, |others| identity.learn(self.turn.device.uuid, others));
        let is_new = self.before.is_some();
        // Of several that came at once, each has a context in what the device has less: the next one may learn.
        let before = self.before.take().filter(|_| came <= 1);
        let after = before.as_ref().and_then(|_| Sample::take(self.turn, self.reservation.bytes()));
        if let Some(bytes) = before.zip(after).and_then(|(before, after)| growth(&before, &after)) {
            self.turn.member.account.learn_context(self.turn.device.index, bytes);
            self.reservation.observe(bytes);
        }
        record(self.turn, handle, self.reservation);
        // What others have learned needs no look, which would start NVML in every process that starts.
        if is_new {
            observed::reconcile(self.turn);
        }
    }
}

/// Charges a context that was created in a way nobody saw; libcudart makes the primary one through a private table.
#[cold]
pub(super) fn charge_unseen_context(turn: &Turn, handle: usize) -> Option<Known> {
    let member = turn.member;
    if let Some(known) = member.contexts.find(handle) {
        return Some(known);
    }
    let known_before = learned(turn);
    let learned = known_before.or_else(|| {
        let now = Sample::take(turn, Bytes::ZERO)?;
        let bytes = difference(now.told.own?, now.charged).filter(|bytes| PLAUSIBLE.contains(bytes))?;
        member.account.learn_context(turn.device.index, bytes);
        Some(bytes)
    });
    let mut reservation = Reservation::none(turn.place(), MemoryClass::Context);
    reservation.observe(learned.unwrap_or(UNKNOWN));
    let known = record(turn, handle, reservation);
    if known_before.is_none() {
        observed::reconcile(turn);
    }
    known
}

/// What a context on the device takes, if any process of the slice knows.
fn learned(turn: &Turn) -> Option<Bytes> {
    let account = &turn.member.account;
    // Anybody in the slice can write there.
    let told = account.learned_context(turn.device.index).filter(|bytes| PLAUSIBLE.contains(bytes));
    told.or_else(|| {
        // Without NVML nobody in this container will ever know better, and looking for a library in vain is slow.
        let guess = (!gpus::can_tell()).then_some(UNKNOWN)?;
        account.learn_context(turn.device.index, guess);
        Some(guess)
    })
}

/// The charge stays with the context; given back at once if the context is known already.
fn record(turn: &Turn, handle: usize, reservation: Reservation) -> Option<Known> {
    let recorded = turn.member.contexts.record(turn.device.index, handle, reservation.bytes());
    if recorded.is_some() {
        turn.member.adopt_unseen(turn.device.index, reservation.bytes());
        reservation.keep();
    }
    recorded
}

impl Sample {
    /// `None` where NVML is silent. `pending` has been charged for the context in question.
    fn take(turn: &Turn, pending: Bytes) -> Option<Self> {
        let told = gpus::in_use(turn.device.uuid, turn.member.identity.id())?;
        let charged = difference(turn.member.account.own(turn.device.index), pending)?;
        Some(Self { told, charged })
    }
}

/// What a context took: the growth of this process's own use without what its other threads were charged meanwhile, or,
/// where NVML does not list this process, that of the whole device if it looks like one context.
fn growth(before: &Sample, after: &Sample) -> Option<Bytes> {
    let Some(own) = after.told.own else {
        let grown = difference(after.told.device, before.told.device);
        return grown.filter(|bytes| PLAUSIBLE_OF_DEVICE.contains(bytes));
    };
    let others = after.charged.saturating_sub(before.charged);
    let grown = difference(own, before.told.own.unwrap_or(Bytes::ZERO))?;
    difference(grown, others).filter(|bytes| PLAUSIBLE.contains(bytes))
}

fn difference(now: Bytes, before: Bytes) -> Option<Bytes> {
    now.0.checked_sub(before.0).map(Bytes)
}
