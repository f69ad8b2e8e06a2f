//! Compute time, as a reader outside sees it.

use policy::compute::trim::Trim;
use policy::compute::{Nanos, Share};

use crate::compute::source_of;

/// What a process does with a device's time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ComputeUse {
    /// How often it has launched.
    pub launches: u64,
    /// How long its threads have waited for their turn, together.
    pub waited: Nanos,
    /// GPU time that was measured of it.
    pub busy: Nanos,
    /// Threads of it that wait now; none of a dead process.
    pub waiting: u32,
    /// The share in force; `None` before its first launch.
    pub share: Option<Share>,
    /// When it last launched, by `CLOCK_MONOTONIC`; `None` if it never has.
    pub last_launch: Option<Nanos>,
}

/// How GPU time that a slice's processes meter on a device is corrected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Correction {
    /// What it is multiplied by.
    pub trim: Trim,
    /// Whether the driver tells what to correct by; `None` before anybody has asked. Where it does not, programs get less than
    /// their share while others use the GPU, too.
    pub has_source: Option<bool>,
}

impl Default for Correction {
    fn default() -> Self {
        Self { trim: Trim::ONE, has_source: None }
    }
}

impl Correction {
    /// Reads a device's words: those of the finish word's line come first.
    pub(super) fn from_words(words: &[u64]) -> Self {
        match words {
            [_, _, _, _, _, _, _, _, trim, _turn, _metered, source, ..] => {
                Self { trim: Trim::from_bits(*trim), has_source: source_of(*source) }
            }
            _ => Self::default(),
        }
    }
}

impl ComputeUse {
    /// Reads the words of a process that is alive.
    pub(super) fn from_words(words: &[u64]) -> Self {
        let &[launches, waited, busy, waiting, share, last_launch, ..] = words else {
            return Self::default();
        };
        let waiting = u32::try_from(waiting).unwrap_or(u32::MAX);
        let share = u16::try_from(share).ok().and_then(Share::from_permille);
        let last_launch = Some(Nanos(last_launch)).filter(|time| *time != Nanos::ZERO);
        Self { launches, waited: Nanos(waited), busy: Nanos(busy), waiting, share, last_launch }
    }
}
