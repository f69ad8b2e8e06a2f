//! How measured GPU time is corrected by what the driver's management library says, for the processes of a slice together.

use policy::compute::Nanos;
use policy::compute::trim::{Rates, Stretch, Trim};

use crate::sync::{AtomicU64, Ordering};

/// The trim in force, and whose turn it is to look at it again.
#[derive(Debug, Default)]
#[repr(C)]
pub struct TrimWords {
    /// A [`Trim`].
    trim: AtomicU64,
    /// When the last turn was taken; 0 = never.
    turn: AtomicU64,
    /// GPU time that all processes have metered since then.
    metered: AtomicU64,
    /// [`THERE_IS`] or [`THERE_IS_NONE`]; anything else: nobody has asked.
    source: AtomicU64,
    /// The [`Rates`] of the last turn that came to a comparison.
    rates: AtomicU64,
}

const THERE_IS: u64 = 1;
const THERE_IS_NONE: u64 = 2;

/// The turn to compare what was metered with what the driver says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turn {
    /// How long it is since the last turn; `None` where there was none.
    pub wall: Option<Nanos>,
    /// GPU time that all processes have metered since then, not trimmed.
    pub metered: Nanos,
}

impl TrimWords {
    /// The trim in force.
    #[must_use]
    pub fn trim(&self) -> Trim {
        Trim::from_bits(self.trim.load(Ordering::Relaxed))
    }

    /// Puts another trim in force.
    pub fn set_trim(&self, trim: Trim) {
        self.trim.store(trim.bits(), Ordering::Relaxed);
    }

    /// Notes that a process has metered so much GPU time, as events tell it: not trimmed.
    pub fn meter(&self, gpu: Nanos) {
        self.metered.fetch_add(gpu.0, Ordering::Relaxed);
    }

    /// Takes the turn if the last one was at least `period` before `now`, or at a time that has not come.
    ///
    /// Whoever dies with it leaves the trim as it was, until the next turn.
    pub fn take_turn(&self, now: Nanos, period: Nanos) -> Option<Turn> {
        let last = self.turn.load(Ordering::Relaxed);
        let since = now.0.checked_sub(last).map(Nanos);
        if since.is_some_and(|since| since < period) {
            return None;
        }
        self.turn.compare_exchange(last, now.0, Ordering::Relaxed, Ordering::Relaxed).ok()?;
        let metered = Nanos(self.metered.swap(0, Ordering::Relaxed));
        Some(Turn { wall: since.filter(|_| last != 0), metered })
    }

    /// Compares what was metered in the time of `turn` with the GPU time that the driver has reported for it, and puts the trim in
    /// force that follows. To be left out if the driver has reported nothing new.
    pub fn compare(&self, turn: Turn, reported: Nanos) {
        let Some(wall) = turn.wall else { return };
        let stretch = Stretch { wall, reported, metered: turn.metered };
        let before = self.rates.swap(stretch.rates().bits(), Ordering::Relaxed);
        self.set_trim(self.trim().after(stretch, Rates::from_bits(before)));
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
    use policy::compute::trim::PERIOD;

    const SECOND: Nanos = Nanos::from_secs(1);

    fn at(seconds: u64) -> Nanos {
        Nanos::from_secs(seconds)
    }

    #[test]
    fn what_all_have_metered_goes_to_whose_turn_it_is() {
        let trim = TrimWords::default();
        trim.meter(Nanos(5));
        assert_eq!(trim.take_turn(at(7), SECOND), Some(Turn { wall: None, metered: Nanos(5) }));
        trim.meter(Nanos(6));
        trim.meter(Nanos(7));
        assert_eq!(trim.take_turn(Nanos(at(8).0 - 1), SECOND), None);
        let late = Nanos(at(8).0 + 9);
        let turn = Turn { wall: Some(Nanos(SECOND.0 + 9)), metered: Nanos(13) };
        assert_eq!(trim.take_turn(late, SECOND), Some(turn));
        assert_eq!(trim.take_turn(late, SECOND), None);
    }

    #[test]
    fn a_last_turn_in_the_future_does_not_keep_everybody_waiting_for_it() {
        let trim = TrimWords::default();
        trim.take_turn(Nanos(u64::MAX), PERIOD).unwrap();
        trim.meter(Nanos(3));
        assert_eq!(trim.take_turn(at(4), PERIOD), Some(Turn { wall: None, metered: Nanos(3) }));
        assert_eq!(trim.take_turn(at(4), PERIOD), None);
    }

    #[test]
    fn one_of_many_threads_has_the_turn() {
        let trim = TrimWords::default();
        let turns = std::thread::scope(|scope| {
            let turns = || (1..=1000).filter_map(|now| trim.take_turn(at(now), PERIOD)).count();
            let threads = [(); 4].map(|()| scope.spawn(turns));
            threads.map(|thread| thread.join().unwrap()).iter().sum::<usize>()
        });
        assert!(turns >= 1000, "{turns}");
    }

    #[test]
    fn what_the_driver_reports_twice_moves_the_trim() {
        let trim = TrimWords::default();
        let half = Nanos(PERIOD.0 / 2);
        for (turn, expected) in [(1, Trim::ONE), (2, Trim::ONE), (3, Trim::from_bits(1_200_000))] {
            let turn = trim.take_turn(Nanos(turn * PERIOD.0), PERIOD).unwrap();
            trim.compare(turn, half);
            trim.meter(Nanos(half.0 / 2));
            assert_eq!(trim.trim(), expected, "{turn:?}");
        }
    }

    #[test]
    fn rubbish_is_a_trim_within_bounds() {
        let words = TrimWords::default();
        assert_eq!(words.trim(), Trim::ONE);
        for (written, trim) in [(1, Trim::MIN), (1_000_000, Trim::ONE), (u64::MAX, Trim::MAX)] {
            words.trim.store(written, Ordering::Relaxed);
            assert_eq!(words.trim(), trim, "{written}");
        }
        words.set_trim(Trim::from_bits(1_100_000));
        assert_eq!(words.trim().bits(), 1_100_000);
    }

    #[test]
    fn whether_there_is_a_source_is_not_known_until_somebody_has_asked() {
        let trim = TrimWords::default();
        assert_eq!(trim.source(), None);
        for there_is in [true, false] {
            trim.note_source(there_is);
            assert_eq!(trim.source(), Some(there_is));
        }
        trim.source.store(77, Ordering::Relaxed);
        assert_eq!(trim.source(), None);
    }
}
