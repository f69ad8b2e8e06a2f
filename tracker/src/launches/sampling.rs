//! Which epochs of a thread need not be measured.
//!
//! A thread that launches, waits, and launches again pays for two events with each wait, and the device is idle meanwhile. Where
//! nothing depends on it, because the slice has not used its share for some time and the launches cost what they always did, most
//! of such epochs count as what they are expected to cost.

use policy::compute::finish::BURST;
use policy::compute::{Nanos, Share, lease};

use crate::spread::spread;

/// So many epochs in a row go unmeasured on average, of [`lease::TIME_MAX`] together.
const EPOCHS: u32 = 15;

/// So many epochs must each have been waited for before one goes unmeasured.
const PROVEN: u32 = 16;
const PROVEN_MAX: u32 = 4096;

/// After a pause of this length is the next epoch measured.
const PAUSE: Nanos = Nanos::from_millis(10);

/// A wait that took so much longer than what was waited for was expected to take has seen that it did take longer. Clocks that
/// cost nothing to read tell no shorter times.
pub(super) const LONG: Nanos = Nanos::from_millis(10);

/// No more than this is believed of a wait: a process that is stopped waits for as long as that lasts, too.
const BELIEVED: Nanos = Nanos::from_millis(100);

/// A launch that costs so much is always measured: two events are nothing beside it.
const DEAR: Nanos = Nanos::from_micros(400);

/// What a thread has done about measuring.
#[derive(Debug)]
pub(super) struct Sampling {
    /// Whether the slice was far from its limit when this thread asked last, at which share.
    is_far: bool,
    share: Option<Share>,
    /// Whether the thread has waited for all that it has launched.
    has_waited: bool,
    /// What it has launched since it has waited, if that goes unmeasured.
    unseen: Option<Nanos>,
    /// How many more epochs may go unmeasured, and how much GPU time has since one was measured.
    left: u32,
    time: Nanos,
    /// Epochs in a row that were each waited for, and how many it takes.
    proven: u32,
    needed: u32,
    /// When the latest epoch began.
    latest: Nanos,
}

impl Default for Sampling {
    fn default() -> Self {
        Self {
            is_far: false,
            share: None,
            has_waited: false,
            unseen: None,
            left: 0,
            time: Nanos::ZERO,
            proven: 0,
            needed: PROVEN,
            latest: Nanos::ZERO,
        }
    }
}

impl Sampling {
    /// The slice, whose share is `share`, could have done so much more by now, in wall time.
    pub(super) fn note(&mut self, share: Share, credit: Nanos) {
        self.is_far = is_far(credit) && self.share == Some(share);
        self.share = Some(share);
    }

    /// Whether an epoch that begins now follows a wait for all that was launched, in a slice far from its limit.
    pub(super) const fn forgives(&self) -> bool {
        self.has_waited && self.is_far
    }

    /// An epoch begins at about `now`, with a launch that costs `usual` if that has not changed for some time. Whether it need not
    /// be measured; otherwise it [is](Self::measures).
    pub(super) fn skips(&mut self, now: Nanos, usual: Option<Nanos>) -> bool {
        let pause = now.saturating_sub(core::mem::replace(&mut self.latest, now));
        let has_waited = core::mem::take(&mut self.has_waited);
        if self.unseen.take().is_some() {
            // Nobody has waited for it, so nobody knows how long it took.
            self.distrust();
        }
        self.proven = if has_waited { self.proven.saturating_add(1) } else { 0 };
        let skips = usual.is_some_and(|cost| cost < DEAR)
            && self.is_far
            && pause < PAUSE
            && self.proven > self.needed
            && self.left > 0
            && self.time < lease::TIME_MAX;
        if skips {
            self.left -= 1;
        }
        skips
    }

    /// The epoch that begins is measured from `since`.
    pub(super) fn measures(&mut self, since: Nanos) {
        (self.left, self.time) = (some(since), Nanos::ZERO);
    }

    /// An epoch ends that was not measured, and was expected to cost `charged`.
    pub(super) fn end(&mut self, charged: Nanos) {
        self.unseen = Some(charged);
        self.time = self.time.saturating_add(charged);
    }

    /// The thread begins to wait for all that it has launched. Whether it has to be [told](Self::waited) for how long it did.
    pub(super) fn wait(&mut self) -> bool {
        self.has_waited = true;
        self.unseen.is_some()
    }

    /// It has waited for `blocked`. For how long the device was at work, if that was longer than it was expected to be.
    pub(super) fn waited(&mut self, blocked: Nanos) -> Option<(Nanos, Nanos)> {
        let charged = self.unseen.take()?;
        let certain = blocked.saturating_sub(LONG).min(BELIEVED);
        if certain <= charged {
            return None;
        }
        self.distrust();
        Some((certain, charged))
    }

    /// What went unmeasured should have been measured.
    fn distrust(&mut self) {
        self.proven = 0;
        self.needed = (self.needed * 2).min(PROVEN_MAX);
    }
}

/// Whether a slice is far from its limit that could have done so much more by now, in wall time.
pub(super) fn is_far(credit: Nanos) -> bool {
    credit.0 >= BURST.0 / 4 * 3
}

/// How many epochs go unmeasured after one that begins at `now`: by chance, or of a program that does the same again every
/// sixteen launches always the same one would be measured.
fn some(now: Nanos) -> u32 {
    let chance = spread(now.0) % u64::from(EPOCHS + 1);
    EPOCHS / 2 + u32::try_from(chance).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHARE: Share = Share::from_percent(99).unwrap();
    const COST: Nanos = Nanos::from_micros(20);

    /// A thread for which a loop of launches and waits is nothing new, far from its limit, and the time.
    fn proven() -> (Sampling, Nanos) {
        let (mut sampling, mut now) = (Sampling::default(), Nanos::from_secs(1));
        sampling.note(SHARE, BURST);
        sampling.note(SHARE, BURST);
        for _ in 0..=PROVEN {
            assert!(!turn(&mut sampling, &mut now));
        }
        (sampling, now)
    }

    /// An epoch begins. Whether it goes unmeasured.
    fn begin(sampling: &mut Sampling, now: Nanos, usual: Option<Nanos>) -> bool {
        let skips = sampling.skips(now, usual);
        if !skips {
            sampling.measures(now);
        }
        skips
    }

    /// A launch and a wait. Whether they went unmeasured.
    fn turn(sampling: &mut Sampling, now: &mut Nanos) -> bool {
        *now = now.saturating_add(Nanos::from_micros(50));
        let skips = begin(sampling, *now, Some(COST));
        if skips {
            sampling.end(COST);
        }
        assert_eq!(sampling.wait(), skips);
        assert_eq!(sampling.waited(COST), None);
        skips
    }

    #[test]
    fn one_of_sixteen_is_measured_while_nothing_changes() {
        let (mut sampling, mut now) = proven();
        let measured = (0..1600).filter(|_| !turn(&mut sampling, &mut now)).count();
        assert!((95..=115).contains(&measured), "{measured}");
    }

    #[test]
    fn of_launches_that_repeat_in_sixteens_not_always_the_same_is_measured() {
        let (mut sampling, mut now) = proven();
        let measured = (0..1600).filter(|_| !turn(&mut sampling, &mut now)).map(|launch| launch % 16);
        let different: std::collections::BTreeSet<u32> = measured.collect();
        assert_eq!(different.len(), 16, "{different:?}");
    }

    #[test]
    fn no_more_than_a_millisecond_goes_unmeasured() {
        let (mut sampling, mut now) = proven();
        let mut unmeasured = Nanos::ZERO;
        for _ in 0..1000 {
            now = now.saturating_add(Nanos::from_micros(500));
            unmeasured = if begin(&mut sampling, now, Some(Nanos::from_micros(300))) {
                sampling.end(Nanos::from_micros(300));
                unmeasured.saturating_add(Nanos::from_micros(300))
            } else {
                Nanos::ZERO
            };
            assert!(unmeasured < Nanos::from_micros(1300));
            sampling.wait();
            assert_eq!(sampling.waited(Nanos::from_micros(300)), None);
        }
    }

    #[test]
    fn near_the_limit_after_a_change_or_a_pause_and_of_what_varies_all_is_measured() {
        let (mut sampling, mut now) = proven();
        assert!(turn(&mut sampling, &mut now));
        sampling.note(SHARE, Nanos(BURST.0 / 2));
        assert!(!turn(&mut sampling, &mut now));
        sampling.note(SHARE, BURST);
        assert!(turn(&mut sampling, &mut now));
        sampling.note(Share::PACED, BURST);
        assert!(!turn(&mut sampling, &mut now));
        sampling.note(Share::PACED, BURST);
        now = now.saturating_add(PAUSE);
        assert!(!turn(&mut sampling, &mut now));
        assert!(turn(&mut sampling, &mut now));
        assert!(!begin(&mut sampling, now.saturating_add(COST), None));
        let (mut sampling, now) = proven();
        assert!(!begin(&mut sampling, now, Some(DEAR)));
    }

    #[test]
    fn a_wait_that_was_long_tells_how_long_the_device_worked_and_everything_is_measured_for_a_while() {
        let (mut sampling, mut now) = proven();
        assert!(begin(&mut sampling, now, Some(COST)));
        sampling.end(COST);
        assert!(sampling.wait());
        let blocked = Nanos::from_millis(70);
        assert_eq!(sampling.waited(blocked), Some((Nanos::from_millis(60), COST)));
        for _ in 0..2 * PROVEN {
            assert!(!turn(&mut sampling, &mut now));
        }
    }

    #[test]
    fn a_process_that_was_stopped_while_it_waited_is_charged_for_little_of_that() {
        let (mut sampling, now) = proven();
        assert!(begin(&mut sampling, now, Some(COST)));
        sampling.end(COST);
        assert!(sampling.wait());
        assert_eq!(sampling.waited(Nanos::from_secs(10)), Some((BELIEVED, COST)));
    }

    #[test]
    fn what_nobody_waits_for_is_measured() {
        let (mut sampling, mut now) = proven();
        assert!(begin(&mut sampling, now, Some(COST)));
        sampling.end(COST);
        assert!(!begin(&mut sampling, now, Some(COST)));
        for _ in 0..2 * PROVEN {
            assert!(!turn(&mut sampling, &mut now));
        }
    }
}
