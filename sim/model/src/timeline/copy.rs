//! A copy engine: one copy at a time, in the order in which they became ready, beside the multiprocessors.

use std::collections::VecDeque;

use crate::{Bytes, Nanos, StreamId};

/// Time to move so many bytes at so many bytes a second, rounded up.
pub(super) fn transfer_time(bytes: Bytes, per_second: Bytes) -> Nanos {
    let nanos = (u128::from(bytes.0) * 1_000_000_000).div_ceil(u128::from(per_second.0.max(1)));
    Nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
}

/// One copy engine.
#[derive(Clone, Debug, Default)]
pub(super) struct CopyEngine {
    /// Copies with the time each takes; the first is under way.
    queue: VecDeque<(StreamId, Nanos)>,
    /// When the first will be done.
    done: Nanos,
}

impl CopyEngine {
    /// A copy is ready to begin.
    pub(super) fn admit(&mut self, now: Nanos, stream: StreamId, duration: Nanos) {
        self.queue.push_back((stream, duration));
        if self.queue.len() == 1 {
            self.begin(now);
        }
    }

    /// When the copy under way is done.
    pub(super) fn next_event(&self) -> Option<Nanos> {
        (!self.queue.is_empty()).then_some(self.done)
    }

    /// Time until the copy of this stream is done, at the very least.
    pub(super) fn left(&self, now: Nanos, stream: StreamId) -> Option<Nanos> {
        let at = self.queue.iter().position(|(of, _)| *of == stream)?;
        Some(if at == 0 { self.done.saturating_sub(now) } else { self.queue[at].1 })
    }

    /// The stream whose copy is done by `to`.
    pub(super) fn run(&mut self, to: Nanos) -> Option<StreamId> {
        let (stream, _) = *self.queue.front().filter(|_| self.done <= to)?;
        self.queue.pop_front();
        self.begin(to);
        Some(stream)
    }

    /// Takes the copy of a stream off, done or not.
    pub(super) fn remove(&mut self, now: Nanos, stream: StreamId) {
        let first = self.queue.front().is_some_and(|(of, _)| *of == stream);
        self.queue.retain(|(of, _)| *of != stream);
        if first {
            self.begin(now);
        }
    }

    fn begin(&mut self, now: Nanos) {
        if let Some((_, duration)) = self.queue.front() {
            self.done = Nanos(now.0.saturating_add(duration.0));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_follow_each_other_without_a_gap() {
        let mut engine = CopyEngine::default();
        engine.admit(Nanos(5), StreamId(1), Nanos(10));
        engine.admit(Nanos(6), StreamId(2), Nanos(10));
        assert_eq!(engine.run(Nanos(14)), None);
        assert_eq!(engine.left(Nanos(14), StreamId(1)), Some(Nanos(1)));
        assert_eq!(engine.run(Nanos(15)), Some(StreamId(1)));
        assert_eq!(engine.next_event(), Some(Nanos(25)));
        engine.remove(Nanos(20), StreamId(2));
        assert_eq!(engine.next_event(), None);
    }

    #[test]
    fn transfer_times_round_up_and_do_not_overflow() {
        assert_eq!(transfer_time(Bytes(50_000), Bytes(50_000_000_000)), Nanos(1000));
        assert_eq!(transfer_time(Bytes(1), Bytes(50_000_000_000)), Nanos(1));
        assert_eq!(transfer_time(Bytes(u64::MAX), Bytes(1)), Nanos(u64::MAX));
        assert_eq!(transfer_time(Bytes::ZERO, Bytes(1)), Nanos::ZERO);
    }
}
