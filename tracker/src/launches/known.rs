//! What is known of a kind of launch, as one word says it.

use policy::compute::Nanos;
use policy::compute::cost::Estimate;

/// So many launches make an estimate that is relied on.
const ENOUGH: u64 = 64;

/// So many more launches are let go for each that was measured, before that.
const TICKETS: u64 = 2;

/// Before so many were measured, one that costs less than half of the estimate takes its place.
///
/// The first launches of a kind are measured while everything begins: code is loaded, and every process of the slice has one under
/// way. Too low an estimate is made up for by measuring; too high a one holds up those who wait behind it.
const EARLY: u64 = 4;

/// What a word says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// With how many measurements in a row have confirmed it, [`STEADY_MAX`] at most.
    Known(Estimate, u64),
    Learning(Learning),
    /// Since when one is waited for.
    Measuring(Nanos),
    /// What that one has cost so far.
    Running(Nanos),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Learning {
    pub(super) estimate: Estimate,
    /// Launches that were measured, below [`ENOUGH`].
    pub(super) measured: u64,
    /// Launches that are let go before the next one has been measured, below [`ENOUGH`].
    pub(super) tickets: u64,
}

/// Words: an estimate alone, or marked with what else is in it.
const MEASURING: u64 = 1 << 62;
const LEARNING: u64 = 1 << 61;
/// Beside the first of these.
const RUNNING: u64 = 1 << 61;
const TIME: u64 = RUNNING - 1;
/// An estimate: five hours at most.
const ESTIMATE: u64 = (1 << 48) - 1;
const MEASURED: u32 = 48;
const TICKETS_LEFT: u32 = 54;
const COUNT: u64 = ENOUGH - 1;
/// Beside an estimate that is relied on.
const STEADY_COUNT: u32 = 48;
const STEADY_MAX: u64 = 15;

/// After so many measurements in a row that are no further from the estimate than an eighth is it steady.
const STEADY: u64 = 8;

/// Whether a word is an estimate alone.
#[inline]
pub(super) const fn is_known(word: u64) -> bool {
    word & (MEASURING | LEARNING) == 0
}

/// The estimate of such a word.
#[inline]
pub(super) const fn estimate(word: u64) -> Estimate {
    Estimate::from_bits(word & ESTIMATE)
}

/// Whether launches have cost about what such a word says for some time.
#[inline]
pub(super) const fn is_steady(word: u64) -> bool {
    is_known(word) && word >> STEADY_COUNT & STEADY_MAX >= STEADY
}

/// Whether a measurement confirms the estimate.
fn confirms(estimate: Estimate, each: Nanos) -> bool {
    let expected = estimate.expected();
    each.0.abs_diff(expected.0) <= expected.0 / 8
}

fn half(estimate: Estimate) -> Nanos {
    Nanos(estimate.expected().0 / 2)
}

impl State {
    pub(super) fn of(word: u64) -> Self {
        let estimate = estimate(word);
        if word & MEASURING != 0 {
            let time = Nanos(word & TIME);
            if word & RUNNING != 0 { Self::Running(time) } else { Self::Measuring(time) }
        } else if word & LEARNING != 0 {
            let (measured, tickets) = (word >> MEASURED & COUNT, word >> TICKETS_LEFT & COUNT);
            Self::Learning(Learning { estimate, measured, tickets })
        } else {
            Self::Known(estimate, word >> STEADY_COUNT & STEADY_MAX)
        }
    }

    pub(super) fn word(self) -> u64 {
        match self {
            Self::Known(estimate, steady) => steady << STEADY_COUNT | estimate.bits().min(ESTIMATE),
            Self::Learning(Learning { estimate, measured, tickets }) => {
                LEARNING | tickets << TICKETS_LEFT | measured << MEASURED | estimate.bits().min(ESTIMATE)
            }
            Self::Measuring(since) => MEASURING | since.0 & TIME,
            Self::Running(so_far) => MEASURING | RUNNING | so_far.0.min(TIME),
        }
    }

    pub(super) fn estimate(self) -> Estimate {
        match self {
            Self::Known(estimate, _) | Self::Learning(Learning { estimate, .. }) => estimate,
            Self::Measuring(_) | Self::Running(_) => Estimate::UNKNOWN,
        }
    }

    pub(super) fn learn(before: Option<Self>, each: Nanos, launches: u32) -> Self {
        let known = match before {
            Some(Self::Learning(early)) if early.measured < EARLY && each < half(early.estimate) => {
                Estimate::UNKNOWN
            }
            _ => before.map_or(Estimate::UNKNOWN, Self::estimate),
        };
        let estimate = known.learn(each, launches);
        let (measured, tickets) = match before {
            Some(Self::Known(before, steady)) => {
                let steady = if confirms(before, each) { (steady + 1).min(STEADY_MAX) } else { 0 };
                return Self::Known(estimate, steady);
            }
            Some(Self::Learning(learning)) => (learning.measured, learning.tickets),
            Some(Self::Measuring(_) | Self::Running(_)) | None => (0, 0),
        };
        let launches = u64::from(launches);
        let measured = measured + launches;
        if measured >= ENOUGH {
            return Self::Known(estimate, 0);
        }
        Self::Learning(Learning { estimate, measured, tickets: (tickets + TICKETS * launches).min(COUNT) })
    }
}
