//! How measured GPU time is corrected by what the driver's management library says, for the processes of a slice together.

use crate::sync::{AtomicU64, Ordering};

/// The correction that changes nothing, in parts per million.
pub const NEUTRAL: u32 = 1_000_000;

/// The correction in force, and whose turn it is to look at it again.
#[derive(Debug, Default)]
#[repr(C, align(64))]
pub struct Trim {
    /// Parts per million; 0 = neutral.
    kappa: AtomicU64,
    /// When the last turn was taken; 0 = never.
    turn: AtomicU64,
    /// GPU time that all processes have measured since then.
    metered: AtomicU64,
    /// [`THERE_IS`] or [`THERE_IS_NONE`]; anything else: nobody has asked.
    source: AtomicU64,
    reserved: [AtomicU64; 4],
}

const THERE_IS: u64 = 1;
const THERE_IS_NONE: u64 = 2;

/// The turn to compare what was measured with what the driver says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turn {
    /// How long it is since the last turn; `None` where there was none.
    pub window: Option<u64>,
    /// GPU time that all processes have measured since then, not corrected.
    pub metered: u64,
}

impl Trim {
    /// The correction in parts per million, from a quarter to four times, whatever is written there.
    #[must_use]
    pub fn kappa(&self) -> u32 {
        kappa_of(self.kappa.load(Ordering::Relaxed))
    }

    /// Corrects by so many parts per million from now on.
    pub fn set_kappa(&self, kappa: u32) {
        self.kappa.store(u64::from(kappa), Ordering::Relaxed);
    }

    /// Notes that a process has measured `gpu` of GPU time.
    pub fn meter(&self, gpu: u64) {
        self.metered.fetch_add(gpu, Ordering::Relaxed);
    }

    /// Takes the turn if the last one was at least `period` before `now`, or at a time that has not come.
    ///
    /// Whoever dies with it leaves the correction as it was, until the next turn.
    pub fn take_turn(&self, now: u64, period: u64) -> Option<Turn> {
        let last = self.turn.load(Ordering::Relaxed);
        let since = now.checked_sub(last);
        if since.is_some_and(|since| since < period) {
            return None;
        }
        self.turn.compare_exchange(last, now, Ordering::Relaxed, Ordering::Relaxed).ok()?;
        let metered = self.metered.swap(0, Ordering::Relaxed);
        Some(Turn { window: since.filter(|_| last != 0), metered })
    }

    /// Whether the driver tells how much the slice's processes use; `None` before anybody has asked.
    #[must_use]
    pub fn source(&self) -> Option<bool> {
        source_of(self.source.load(Ordering::Relaxed))
    }

    /// Notes whether the driver tells how much the slice's processes use.
    pub fn note_source(&self, there_is: bool) {
        let source = if there_is { THERE_IS } else { THERE_IS_NONE };
        if self.source.load(Ordering::Relaxed) != source {
            self.source.store(source, Ordering::Relaxed);
        }
    }
}

/// What the word of a correction says.
pub(crate) fn kappa_of(word: u64) -> u32 {
    match word {
        0 => NEUTRAL,
        ppm => u32::try_from(ppm).unwrap_or(u32::MAX).clamp(NEUTRAL / 4, NEUTRAL * 4),
    }
}

/// What the word of the source says.
pub(crate) const fn source_of(word: u64) -> Option<bool> {
    match word {
        THERE_IS => Some(true),
        THERE_IS_NONE => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: u64 = 1_000_000_000;

    #[test]
    fn what_all_have_measured_goes_to_whose_turn_it_is() {
        let trim = Trim::default();
        trim.meter(5);
        assert_eq!(trim.take_turn(7 * SECOND, SECOND), Some(Turn { window: None, metered: 5 }));
        trim.meter(6);
        trim.meter(7);
        assert_eq!(trim.take_turn(8 * SECOND - 1, SECOND), None);
        let turn = Turn { window: Some(SECOND + 9), metered: 13 };
        assert_eq!(trim.take_turn(8 * SECOND + 9, SECOND), Some(turn));
        assert_eq!(trim.take_turn(8 * SECOND + 9, SECOND), None);
    }

    #[test]
    fn a_last_turn_in_the_future_does_not_keep_everybody_waiting_for_it() {
        let trim = Trim::default();
        trim.take_turn(u64::MAX, SECOND).unwrap();
        trim.meter(3);
        assert_eq!(trim.take_turn(4 * SECOND, SECOND), Some(Turn { window: None, metered: 3 }));
        assert_eq!(trim.take_turn(4 * SECOND, SECOND), None);
    }

    #[test]
    fn one_of_many_threads_has_the_turn() {
        let trim = Trim::default();
        let turns = std::thread::scope(|scope| {
            let threads = [(); 4].map(|()| {
                scope
                    .spawn(|| (1..=1000).filter(|now| trim.take_turn(now * SECOND, SECOND).is_some()).count())
            });
            threads.map(|thread| thread.join().unwrap()).iter().sum::<usize>()
        });
        assert!(turns >= 1000, "{turns}");
        assert_eq!(trim.take_turn(1001 * SECOND - 1, SECOND), None);
    }

    #[test]
    fn rubbish_is_a_correction_within_bounds() {
        let trim = Trim::default();
        assert_eq!(trim.kappa(), NEUTRAL);
        for (written, kappa) in
            [(1, 250_000), (900_000, 900_000), (5_000_000, 4_000_000), (u64::MAX, 4_000_000)]
        {
            trim.kappa.store(written, Ordering::Relaxed);
            assert_eq!(trim.kappa(), kappa, "{written}");
        }
        trim.set_kappa(1_100_000);
        assert_eq!(trim.kappa(), 1_100_000);
    }

    #[test]
    fn whether_there_is_a_source_is_not_known_until_somebody_has_asked() {
        let trim = Trim::default();
        assert_eq!(trim.source(), None);
        for there_is in [true, false] {
            trim.note_source(there_is);
            assert_eq!(trim.source(), Some(there_is));
        }
        trim.source.store(77, Ordering::Relaxed);
        assert_eq!(trim.source(), None);
    }
}
