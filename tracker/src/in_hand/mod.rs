//! Memory in hand: the driver is being asked for it or given it back, and what is charged, what is known and what the driver
//! says need not agree. Whoever compares them has to know whether there is any.
//!
//! Every allocation and every free says so, and somebody asks once in a while. So each thread has a word of its own, which only
//! it writes, by plain stores; who asks looks at all of them. That suffices: memory is in hand before it is charged and before
//! the driver gives it back, so whoever sees that in the account or in what the driver says also sees the word.

mod word;

use core::cell::Cell;
use core::sync::atomic::{AtomicBool, AtomicU64, Ordering::Acquire, Ordering::Relaxed, Ordering::Release};
use shared_region::BriefLock;

pub use word::{Hand, Word, watch};

/// What the threads of a process have in hand.
pub struct InHand {
    /// No other has it, so that a forked child does not take its parent's words for its own.
    id: u64,
    /// As many as there ever were threads at once. They are never given back: a thread may end after whoever made them.
    words: BriefLock<Vec<&'static Line>>,
    /// What threads have in hand that have lost their words, because they are ending.
    ending: Word,
}

/// A word on a cache line of its own.
#[repr(align(64))]
struct Line {
    word: Word,
    /// The [`InHand`] that it belongs to.
    of: u64,
    /// Whether a thread has it.
    is_taken: AtomicBool,
}

thread_local! {
    /// The line that this thread has used last. Without an end of its own, it is found at the least cost.
    static OWN: Cell<Option<&'static Line>> = const { Cell::new(None) };
    static END: End = const { End };
}

/// Gives a thread's line to others when the thread ends.
struct End;

impl Default for InHand {
    fn default() -> Self {
        static LAST: AtomicU64 = AtomicU64::new(0);
        Self { id: LAST.fetch_add(1, Relaxed) + 1, words: BriefLock::default(), ending: Word::shared() }
    }
}

impl InHand {
    /// Takes memory in hand: before anything is charged, or forgotten.
    #[inline]
    pub fn take(&self) -> Hand<'_> {
        match OWN.get() {
            Some(Line { word, of, .. }) if *of == self.id => word.take(),
            _ => self.take_first(),
        }
    }

    /// The first of a thread; or one of a thread that is ending, whose line nobody would give to others any more.
    #[cold]
    fn take_first(&self) -> Hand<'_> {
        if END.try_with(|_| ()).is_err() {
            return self.ending.take_shared();
        }
        leave();
        let line = self.new_line();
        OWN.set(Some(line));
        line.word.take()
    }

    /// [`watch`]es what is in hand here.
    pub fn watch<A: PartialEq, T>(&self, account: impl Fn() -> A, look: impl FnOnce() -> T) -> (T, bool) {
        let is_empty = || self.ending.is_empty() && self.words.lock().iter().all(|line| line.word.is_empty());
        watch(is_empty, account, look)
    }

    /// A word for the calling thread.
    #[cold]
    fn new_line(&self) -> &'static Line {
        let mut words = self.words.lock();
        // What a thread had in hand that was ended by force is settled by nobody.
        let is_free = |line: &&&Line| !line.is_taken.load(Acquire) && line.word.is_empty();
        let line = words.iter().find(is_free).copied().unwrap_or_else(|| {
            let line = Line { word: Word::default(), of: self.id, is_taken: AtomicBool::new(false) };
            let line: &'static Line = Box::leak(Box::new(line));
            words.push(line);
            line
        });
        line.is_taken.store(true, Relaxed);
        line
    }
}

/// Lets others have this thread's line.
fn leave() {
    if let Some(line) = OWN.take() {
        line.is_taken.store(false, Release);
    }
}

impl Drop for End {
    fn drop(&mut self) {
        leave();
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    fn is_still(hands: &InHand) -> bool {
        hands.watch(|| (), || ()).1
    }

    /// Joined, since a scope ends before its threads have ended what is theirs alone.
    fn in_a_thread<T: Send>(work: impl FnOnce() -> T + Send) -> T {
        std::thread::scope(|scope| scope.spawn(work).join().unwrap())
    }

    #[test]
    fn what_one_thread_has_in_hand_another_sees() {
        let hands = InHand::default();
        assert!(is_still(&hands));
        let outer = hands.take();
        let inner = hands.take();
        assert!(!in_a_thread(|| is_still(&hands)));
        drop(outer);
        assert!(!in_a_thread(|| is_still(&hands)));
        drop(inner);
        assert!(in_a_thread(|| is_still(&hands)));
    }

    #[test]
    fn what_comes_into_hand_during_a_look_is_seen_and_so_is_a_change_of_the_account() {
        let hands = InHand::default();
        let mut hand = None;
        assert!(!hands.watch(|| (), || hand = Some(hands.take())).1);
        assert!(!hands.watch(|| (), || hand = None).1);
        let account = Cell::new(1);
        assert!(!hands.watch(|| account.get(), || account.set(2)).1);
        assert!(hands.watch(|| account.get(), || ()).1);
    }

    #[test]
    fn threads_that_ended_leave_their_words_to_others() {
        let hands = InHand::default();
        for _ in 0..100 {
            in_a_thread(|| drop(hands.take()));
        }
        assert_eq!(hands.words.lock().len(), 1);
        assert!(is_still(&hands));
    }

    #[test]
    fn what_a_thread_had_in_hand_that_was_ended_by_force_stays_in_hand() {
        let hands = InHand::default();
        in_a_thread(|| core::mem::forget(hands.take()));
        in_a_thread(|| drop(hands.take()));
        assert!(!is_still(&hands));
    }

    #[test]
    fn words_of_one_are_not_those_of_another() {
        let (parent, child) = (InHand::default(), InHand::default());
        let _forgotten = parent.take();
        let hand = child.take();
        assert!(!is_still(&child));
        drop(hand);
        assert!(is_still(&child) && !is_still(&parent));
    }

    #[test]
    fn a_thread_that_frees_while_it_ends_has_that_in_hand() {
        struct Late(&'static InHand);
        impl Drop for Late {
            fn drop(&mut self) {
                // Again in here, whichever of the thread's values is ended first.
                let _hand = self.0.take();
                assert!(!is_still(self.0));
            }
        }
        thread_local! {
            static LATE: Cell<Option<Late>> = const { Cell::new(None) };
        }
        let hands: &'static InHand = Box::leak(Box::default());
        for is_first in [true, false] {
            let thread = std::thread::spawn(move || {
                if is_first {
                    drop(hands.take());
                }
                LATE.set(Some(Late(hands)));
                drop(hands.take());
            });
            thread.join().unwrap();
            assert!(is_still(hands));
        }
    }
}
