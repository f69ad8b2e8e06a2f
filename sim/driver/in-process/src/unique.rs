//! Numbers that are given once.

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};

/// Numbers that a thread takes at once, so that threads do not contend.
const SHARE: u64 = 1 << 40;

/// The first number: device addresses of a real driver are about as large.
static NEXT_SHARE: AtomicU64 = AtomicU64::new(0x10 * SHARE);

thread_local! {
    /// The next number of this thread and the end of its share.
    static MINE: Cell<(u64, u64)> = const { Cell::new((0, 0)) };
}

/// The first of `length` numbers, rounded up to a multiple of 512, that were never given before: enough of them for as
/// long as no measurement takes years.
#[inline]
pub fn range(length: u64) -> u64 {
    let length = length.saturating_add(511) & !511;
    let (next, end) = MINE.get();
    if end - next >= length {
        MINE.set((next + length, end));
        return next;
    }
    if length > SHARE {
        return NEXT_SHARE.fetch_add(length.next_multiple_of(SHARE), Ordering::Relaxed);
    }
    let share = NEXT_SHARE.fetch_add(SHARE, Ordering::Relaxed);
    MINE.set((share + length, share + SHARE));
    share
}

/// A handle.
#[inline]
pub fn handle() -> usize {
    usize::try_from(range(1)).unwrap_or(usize::MAX)
}
