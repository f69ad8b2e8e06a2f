//! Compute time, as a reader outside sees it.

use crate::compute::{NEUTRAL, kappa_of, source_of};

/// What a process does with a device's time. Times are nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ComputeUse {
    /// How often it has launched.
    pub launches: u64,
    /// How long its threads have waited for their turn, together.
    pub waited: u64,
    /// GPU time that was measured of it.
    pub busy: u64,
    /// Threads of it that wait now; none of a dead process.
    pub waiting: u32,
    /// The share in force, 1 to 1000 thousandths of the device's time; `None` before its first launch.
    pub share: Option<u16>,
    /// When it last launched, CLOCK_MONOTONIC; `None` if it never has.
    pub last_launch: Option<u64>,
}

/// How GPU time that a slice's processes measure on a device is corrected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Correction {
    /// Parts per million.
    pub kappa: u32,
    /// Whether the driver tells what to correct by; `None` before anybody has asked. Where it does not, programs get less than
    /// their share while others use the GPU, too.
    pub has_source: Option<bool>,
}

impl Default for Correction {
    fn default() -> Self {
        Self { kappa: NEUTRAL, has_source: None }
    }
}

impl Correction {
    /// Reads a device's words: those of the finish word's line come first.
    pub(super) fn from_words(words: &[u64]) -> Self {
        match words {
            [_, _, _, _, _, _, _, _, kappa, _turn, _metered, source, ..] => {
                Self { kappa: kappa_of(*kappa), has_source: source_of(*source) }
            }
            _ => Self::default(),
        }
    }
}

impl ComputeUse {
    /// Reads a process's words.
    pub(super) fn from_words(words: &[u64], is_alive: bool) -> Self {
        let &[launches, waited, busy, waiting, share, last_launch, ..] = words else {
            return Self::default();
        };
        let waiting = if is_alive { u32::try_from(waiting).unwrap_or(u32::MAX) } else { 0 };
        let share = u16::try_from(share).ok().filter(|share| (1..=1000).contains(share));
        let last_launch = Some(last_launch).filter(|time| *time != 0);
        Self { launches, waited, busy, waiting, share, last_launch }
    }
}
