//! The one word that all launches of a slice on a device wait by.

use crate::sync::{AtomicU64, Ordering};

/// When all GPU time charged so far will be paid. `policy::compute` says what is in the word and how it changes.
///
/// A change is one exchange, so a process that dies has made it or has not.
#[derive(Debug, Default)]
#[repr(C, align(64))]
pub struct FinishWord {
    word: AtomicU64,
    reserved: [AtomicU64; 7],
}

impl FinishWord {
    /// The word now.
    #[must_use]
    pub fn load(&self) -> u64 {
        self.word.load(Ordering::Relaxed)
    }

    /// Changes the word as `change` says, which also gives the answer. It is asked again as often as others are faster.
    ///
    /// Relaxed: the word stands for itself, and nothing is published by it.
    pub fn update<T>(&self, change: impl Fn(u64) -> (u64, T)) -> T {
        let mut word = self.load();
        loop {
            let (next, answer) = change(word);
            match self.word.compare_exchange(word, next, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => return answer,
                Err(now) => word = now,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crash::dying_before_write;

    #[test]
    fn no_change_is_lost_among_threads() {
        let word = FinishWord::default();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..20_000).for_each(|_| word.update(|word| (word + 1, ()))));
            }
        });
        assert_eq!(word.load(), 80_000);
    }

    #[test]
    fn the_answer_is_that_of_the_change_which_was_made() {
        let word = FinishWord::default();
        let answers = std::thread::scope(|scope| {
            let threads = [(); 2].map(|()| {
                scope.spawn(|| (0..5_000).map(|_| word.update(|word| (word + 1, word))).collect::<Vec<_>>())
            });
            threads.map(|thread| thread.join().unwrap()).concat()
        });
        let different: std::collections::HashSet<_> = answers.iter().collect();
        assert_eq!(different.len(), 10_000);
    }

    #[test]
    fn a_death_leaves_the_word_as_it_was_or_changed() {
        let word = FinishWord::default();
        assert_eq!(dying_before_write(0, || word.update(|word| (word + 5, ()))), None);
        assert_eq!(word.load(), 0);
        assert_eq!(dying_before_write(1, || word.update(|word| (word + 5, ()))), Some(()));
        assert_eq!(word.load(), 5);
    }
}
