//! The one word that all launches of a slice on a device wait by.

use policy::compute::account::Account;
use policy::compute::finish::{Finish, Reservation};
use policy::compute::{Nanos, Share};

use super::update;
use crate::sync::{AtomicU64, Ordering};

/// When all GPU time charged so far will be paid: a [`Finish`] that processes share.
///
/// A change is one exchange, so a process that dies has made it or has not.
#[derive(Debug, Default)]
#[repr(C, align(64))]
pub struct FinishWord {
    word: AtomicU64,
    /// An [`Account`].
    account: AtomicU64,
    reserved: [AtomicU64; 6],
}

impl FinishWord {
    /// The finish time now.
    #[must_use]
    pub fn load(&self) -> Finish {
        Finish::from_bits(self.word.load(Ordering::Relaxed))
    }

    /// Charges `cost` of GPU time, as [`Finish::reserve`] says.
    pub fn reserve(&self, now: Nanos, share: Share, cost: Nanos) -> Reservation {
        update(&self.word, |word| {
            let reservation = Finish::from_bits(word).reserve(now, share, cost);
            (reservation.finish.bits(), reservation)
        })
    }

    /// Charges `by` more nanoseconds of GPU time or gives them back, as [`Finish::correct`] says.
    pub fn correct(&self, now: Nanos, share: Share, by: i64) {
        update(&self.word, |word| (Finish::from_bits(word).correct(now, share, by).bits(), ()));
    }

    /// Notes at `now` that a process was `busy` since `since`, and says for how much of that it is to be charged, as
    /// [`Account::report`] says.
    pub fn report(&self, since: Nanos, now: Nanos, busy: Nanos) -> Nanos {
        update(&self.account, |word| {
            let (next, charged) = Account::from_bits(word).report(since, now, busy);
            (next.bits(), charged)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crash::dying_before_write;

    const SHARE: Share = Share::from_percent(50).unwrap();
    const NOW: Nanos = Nanos::from_secs(100);
    const COST: Nanos = Nanos::from_millis(1);

    #[test]
    fn no_charge_is_lost_among_threads_and_no_two_have_the_same_turn() {
        let word = FinishWord::default();
        let mut starts = std::thread::scope(|scope| {
            let launch = || (0..2_000).map(|_| word.reserve(NOW, SHARE, COST).start).collect::<Vec<_>>();
            let threads = [(); 4].map(|()| scope.spawn(launch));
            threads.map(|thread| thread.join().unwrap()).concat()
        });
        starts.sort_unstable();
        // But for the burst, each starts when the one before it has been paid.
        let late = starts.split_off(11);
        assert!(late.windows(2).all(|pair| pair[1].0 - pair[0].0 == SHARE.wall(COST).0), "{late:?}");
        assert_eq!(late.len(), 8_000 - 11);
    }

    #[test]
    fn what_is_corrected_is_owed_or_not() {
        let word = FinishWord::default();
        let _ = word.reserve(NOW, SHARE, Nanos::from_millis(100));
        let owed = word.load().debt(NOW);
        word.correct(NOW, SHARE, 16_000);
        assert_eq!(word.load().debt(NOW).0, owed.0 + 16_000);
        word.correct(NOW, SHARE, -16_000);
        assert_eq!(word.load().debt(NOW), owed);
    }

    #[test]
    fn without_a_limit_nothing_is_written() {
        let word = FinishWord::default();
        let charged = dying_before_write(0, || word.reserve(NOW, Share::FULL, COST).start);
        assert_eq!(charged, Some(NOW));
        assert_eq!(word.load(), Finish::NONE);
    }

    #[test]
    fn a_death_leaves_the_word_as_it_was_or_changed() {
        let word = FinishWord::default();
        assert_eq!(dying_before_write(0, || word.reserve(NOW, SHARE, COST)), None);
        assert_eq!(word.load(), Finish::NONE);
        assert!(dying_before_write(1, || word.reserve(NOW, SHARE, COST)).is_some());
        assert_eq!(word.load().share(), Some(SHARE));
    }
}
