//! A table of words that is read without a lock and never grows.

use core::sync::atomic::{AtomicU64, Ordering};
use shared_region::BriefLock;

use crate::spread::spread;

/// Places in which a key can be.
const WAYS: usize = 4;

/// Set by every change; whoever looks for a place clears it first. Words are below.
const USED: u64 = 1 << 63;

/// One cache line, in which a key is or is not.
#[derive(Default)]
#[repr(align(64))]
struct Set {
    tags: [AtomicU64; WAYS],
    words: [AtomicU64; WAYS],
}

/// A table of words below 2⁶³ by keys that others choose.
///
/// Reading is one cache line and no lock. When a key's set is full, the place of one that was not changed for the longest time
/// (about) is used again, so whatever is in here can be gone at the next look. A reader that meets such a change may get the
/// word of the other key; what is in here must be of the kind for which that does no harm.
pub(super) struct Ways {
    sets: Box<[Set]>,
    /// For writers; what is in it is where the next search for a place begins.
    hand: BriefLock<usize>,
}

impl Ways {
    /// A table for `sets` × 4 keys. `sets` is a power of two.
    pub(super) fn new(sets: usize) -> Self {
        Self { sets: std::iter::repeat_with(Set::default).take(sets).collect(), hand: BriefLock::default() }
    }

    /// The word of `key`.
    #[inline]
    pub(super) fn get(&self, key: u64) -> Option<u64> {
        let tag = tag(key);
        let set = self.set(tag)?;
        let way = set.find(tag)?;
        Some(set.words[way].load(Ordering::Relaxed) & !USED)
    }

    /// Gives `key` the word that `change` makes of its present one; none: `key` is forgotten. Returns what `change` says.
    ///
    /// One change at a time: `change` is to be brief and must not come here.
    pub(super) fn change<T>(&self, key: u64, change: impl FnOnce(Option<u64>) -> (Option<u64>, T)) -> T {
        let tag = tag(key);
        let mut hand = self.hand.lock();
        let Some(set) = self.set(tag) else { return change(None).1 };
        let known = set.find(tag);
        let (word, answer) = change(known.map(|way| set.words[way].load(Ordering::Relaxed) & !USED));
        match (known, word) {
            (Some(way), Some(word)) => set.words[way].store(word | USED, Ordering::Relaxed),
            (Some(way), None) => set.tags[way].store(0, Ordering::Relaxed),
            (None, Some(word)) => set.put(tag, word, &mut hand),
            (None, None) => {}
        }
        answer
    }

    /// Forgets all keys.
    pub(super) fn clear(&self) {
        let _writer = self.hand.lock();
        for tag in self.sets.iter().flat_map(|set| &set.tags) {
            tag.store(0, Ordering::Relaxed);
        }
    }

    #[inline]
    fn set(&self, tag: u64) -> Option<&Set> {
        // The lower half has the entropy of all bits; no table is larger than that.
        let index = (tag & 0xffff_ffff) as usize & (self.sets.len() - 1);
        self.sets.get(index)
    }
}

impl Set {
    #[inline]
    fn find(&self, tag: u64) -> Option<usize> {
        (0..WAYS).find(|&way| self.tags[way].load(Ordering::Acquire) == tag)
    }

    fn put(&self, tag: u64, word: u64, hand: &mut usize) {
        let way = self.find(0).unwrap_or_else(|| self.least_used(hand));
        self.tags[way].store(0, Ordering::Relaxed);
        self.words[way].store(word | USED, Ordering::Relaxed);
        self.tags[way].store(tag, Ordering::Release);
    }

    fn least_used(&self, hand: &mut usize) -> usize {
        loop {
            *hand = (*hand + 1) % WAYS;
            if self.words[*hand].fetch_and(!USED, Ordering::Relaxed) & USED == 0 {
                return *hand;
            }
        }
    }
}

/// What `key` is found by. 0 marks an unused place.
#[inline]
fn tag(key: u64) -> u64 {
    spread(key).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(ways: &Ways, key: u64, word: u64) {
        ways.change(key, |_| (Some(word), ()));
    }

    #[test]
    fn keys_have_their_own_words_until_they_are_forgotten() {
        let ways = Ways::new(64);
        (0..100).for_each(|key| put(&ways, key, key * 3));
        let kept = (0..100).filter(|&key| ways.get(key) == Some(key * 3)).count();
        assert!(kept > 90, "{kept}");
        assert!((0..100).all(|key| ways.get(key).is_none_or(|word| word == key * 3)));
        assert!(ways.change(7, |word| (None, word)).is_some());
        assert_eq!(ways.get(7), None);
        ways.clear();
        assert!((0..100).all(|key| ways.get(key).is_none()));
    }

    #[test]
    fn what_is_used_stays_when_many_others_come_and_go() {
        let ways = Ways::new(8);
        for key in 1000..2000 {
            put(&ways, 5, 55);
            put(&ways, key, 1);
        }
        assert_eq!(ways.get(5), Some(55));
        let present = (1000..2000).filter(|&key| ways.get(key).is_some()).count();
        assert!((8..=32).contains(&present), "{present}");
    }

    #[test]
    fn readers_see_words_that_somebody_wrote() {
        let ways = Ways::new(1);
        std::thread::scope(|scope| {
            scope.spawn(|| (0..40_000_u64).for_each(|round| put(&ways, round % 9, 100 + round % 9)));
            for _ in 0..40_000 {
                assert!(ways.get(3).is_none_or(|word| (100..109).contains(&word)));
            }
        });
    }
}
