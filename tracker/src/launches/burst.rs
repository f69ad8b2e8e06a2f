//! Threads of one process whose time comes at about the same time begin together.

use core::sync::atomic::{AtomicU64, Ordering};

use policy::compute::Nanos;

use super::StreamId;
use crate::spread::spread;

/// A burst is at least so long in wall time, and at most.
///
/// So much is launched in advance at most, times the share: nothing in a second.
const LENGTH_MIN: Nanos = Nanos::from_millis(4);
const LENGTH_MAX: Nanos = Nanos::from_millis(10);

/// Between those, it is long enough for so many launches: few of them are at its end, where nothing runs beside them.
const LAUNCHES: u64 = 16;

/// For so long after two have come by turns are there held to be several.
const MEMORY: Nanos = Nanos::from_millis(100);

/// Work of several threads, or in several streams, may run side by side on the device. If each waited until exactly its time has
/// come, one would begin when the other has just ended, and pay for all of a device of which it uses a part. So their turns are
/// moved together.
///
/// Not those of one thread in one stream, and not those of several processes: their work does not run side by side, and would be
/// measured in each other's way.
#[derive(Debug, Default)]
pub(super) struct Bursts {
    /// When the latest one began, or will.
    start: AtomicU64,
    /// Who asked last, in which stream, and until when there are held to be several.
    latest: AtomicU64,
    several: AtomicU64,
    /// How many there were.
    threads: AtomicU64,
}

impl Bursts {
    /// A number for one more thread.
    pub(super) fn thread(&self) -> u64 {
        self.threads.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Whether several threads launch at `now`.
    pub(super) fn are_several(&self, now: Nanos) -> bool {
        now.0 < self.several.load(Ordering::Relaxed)
    }

    /// When `thread` begins in `stream`, whose time comes at `start`, with launches that take `each` of wall time at its share.
    pub(super) fn join(&self, thread: u64, stream: StreamId, start: Nanos, each: Nanos) -> Nanos {
        let who = (spread(thread) ^ stream.key()).max(1);
        let before = self.latest.swap(who, Ordering::Relaxed);
        if before != who && before != 0 {
            self.several.store(start.saturating_add(MEMORY).0, Ordering::Relaxed);
        }
        let length = Nanos(each.0.saturating_mul(LAUNCHES)).clamp(LENGTH_MIN, LENGTH_MAX);
        let burst = Nanos(self.start.load(Ordering::Relaxed));
        if self.are_several(start) && (burst..burst.saturating_add(length)).contains(&start) {
            return burst;
        }
        self.start.store(start.0, Ordering::Relaxed);
        start
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::ContextId;

    const TIME: Nanos = Nanos::from_secs(1);
    const STREAM: StreamId = StreamId { context: ContextId(1), stream: 2 };
    const OTHER: StreamId = StreamId { context: ContextId(1), stream: 3 };
    const EACH: Nanos = Nanos::from_micros(30);

    fn later(micros: u64) -> Nanos {
        TIME.saturating_add(Nanos::from_micros(micros))
    }

    #[test]
    fn threads_begin_together_and_the_next_burst_when_its_time_has_come() {
        let bursts = Bursts::default();
        let [one, two] = [bursts.thread(), bursts.thread()];
        let join = |thread, start| bursts.join(thread, STREAM, start, EACH);
        assert_eq!(join(one, TIME), TIME);
        assert_eq!(join(two, later(3000)), TIME);
        assert_eq!(join(one, later(3900)), TIME);
        assert_eq!(join(two, later(5600)), later(5600));
        assert_eq!(join(one, later(5000)), later(5000));
    }

    #[test]
    fn so_does_one_thread_in_several_streams_and_long_launches_make_longer_bursts() {
        let bursts = Bursts::default();
        let (thread, long) = (bursts.thread(), Nanos::from_micros(500));
        assert_eq!(bursts.join(thread, STREAM, TIME, long), TIME);
        assert_eq!(bursts.join(thread, OTHER, later(7000), long), TIME);
        assert_eq!(bursts.join(thread, STREAM, later(8000), long), later(8000));
    }

    #[test]
    fn one_thread_in_one_stream_begins_when_its_time_has_come() {
        let bursts = Bursts::default();
        let thread = bursts.thread();
        for turn in 0..10 {
            assert_eq!(bursts.join(thread, STREAM, later(turn * 1000), EACH), later(turn * 1000));
        }
    }
}
