//! How measured GPU time is corrected by what the driver's management library says, for the processes of a slice together.

use policy::compute::Nanos;
use policy::compute::trim::Trim;

use crate::sync::{AtomicU64, Ordering};

/// The trim in force, and whose turn it is to look at it again.
#[derive(Debug, Default)]
#[repr(C)]
pub struct TrimWords {
    /// A [`Trim`].
    trim: AtomicU64,
    /// When the last turn was taken; 0 = never.
    turn: AtomicU64,
    /// GPU time that all processes have metered, ever.
    metered: AtomicU64,
    /// [`THERE_IS`] or [`THERE_IS_NONE`]; anything else: nobody has asked.
    source: AtomicU64,
}

const THERE_IS: u64 = 1;
const THERE_IS_NONE: u64 = 2;

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

    /// GPU time that all processes have metered, ever: a total that never falls.
    #[must_use]
    pub fn metered(&self) -> Nanos {
        Nanos(self.metered.load(Ordering::Relaxed))
    }

    /// Adds GPU time that a process has metered, as events tell it: not trimmed. What [`metered`](Self::metered) is then.
    pub fn meter(&self, gpu: Nanos) -> Nanos {
        if gpu == Nanos::ZERO {
            return self.metered();
        }
        Nanos(self.metered.fetch_add(gpu.0, Ordering::Relaxed).wrapping_add(gpu.0))
    }

    /// Takes the turn to ask the driver, if the last one was at least `period` before `now`, or at a time that has not come.
    /// When that was; `now`, if it never was.
    ///
    /// Whoever dies with it leaves the trim as it was, until the next turn.
    pub fn take_turn(&self, now: Nanos, period: Nanos) -> Option<Nanos> {
        let last = self.turn.load(Ordering::Relaxed);
        let since = now.0.checked_sub(last).map(Nanos);
        if since.is_some_and(|since| since < period) {
            return None;
        }
        self.turn.compare_exchange(last, now.0, Ordering::Relaxed, Ordering::Relaxed).ok()?;
        Some(if last == 0 || since.is_none() { now } else { Nanos(last) })
    }

    /// Notes whether the driver tells how much the slice's processes use.
    pub fn note_source(&self, there_is: bool) {
        let source = if there_is { THERE_IS } else { THERE_IS_NONE };
        if self.source.load(Ordering::Relaxed) != source {
            self.source.store(source, Ordering::Relaxed);
        }
    }
}

/// Whether the driver tells how much the slice's processes use, by the word of the source; `None` before anybody has asked.
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

    fn at(seconds: u64) -> Nanos {
        Nanos::from_secs(seconds)
    }

    #[test]
    fn what_all_have_metered_adds_up() {
        let trim = TrimWords::default();
        assert_eq!(trim.meter(Nanos(5)), Nanos(5));
        assert_eq!(trim.meter(Nanos(7)), Nanos(12));
        assert_eq!(trim.meter(Nanos::ZERO), Nanos(12));
        assert_eq!(trim.metered(), Nanos(12));
    }

    #[test]
    fn who_has_the_turn_knows_since_when() {
        let trim = TrimWords::default();
        assert_eq!(trim.take_turn(at(7), PERIOD), Some(at(7)));
        assert_eq!(trim.take_turn(Nanos(at(7).0 + PERIOD.0 - 1), PERIOD), None);
        let late = Nanos(at(7).0 + PERIOD.0 + 9);
        assert_eq!(trim.take_turn(late, PERIOD), Some(at(7)));
        assert_eq!(trim.take_turn(late, PERIOD), None);
    }

    #[test]
    fn a_last_turn_in_the_future_does_not_keep_everybody_waiting_for_it() {
        let trim = TrimWords::default();
        trim.take_turn(Nanos(u64::MAX), PERIOD).unwrap();
        assert_eq!(trim.take_turn(at(4), PERIOD), Some(at(4)));
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
        let source = || source_of(trim.source.load(Ordering::Relaxed));
        assert_eq!(source(), None);
        for there_is in [true, false] {
            trim.note_source(there_is);
            assert_eq!(source(), Some(there_is));
        }
        trim.source.store(77, Ordering::Relaxed);
        assert_eq!(source(), None);
    }
}
