//! How long a device was busy with intervals that overlap and come in any order.

use super::Nanos;

/// How many separate intervals are remembered. Streams whose work interleaves make a new one now and then; epochs that end late
/// are what they are remembered for.
pub const SPANS: usize = 32;

/// Of so many, from the oldest on, is one forgotten when there are too many.
const OLD: usize = SPANS / 2;

/// An interval of time that is covered, not empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Span {
    from: Nanos,
    to: Nanos,
}

impl Span {
    const NONE: Self = Self { from: Nanos::ZERO, to: Nanos::ZERO };

    const fn length(self) -> u64 {
        self.to.0.saturating_sub(self.from.0)
    }
}

/// The union of the intervals in which a device worked for somebody.
///
/// At most [`SPANS`] separate intervals are remembered. When there is one more, whatever is shortest of the older half is
/// forgotten: an interval, which may then be counted again, or a gap, which is then never counted. Either way one such step makes
/// an error no longer than the shortest of 16 intervals and 16 gaps, and only if something that comes later overlaps it. The
/// newer half is what most of what comes later overlaps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Busy {
    /// Sorted, with gaps between; those from `count` on are unused.
    spans: [Span; SPANS],
    count: usize,
}

impl Default for Busy {
    fn default() -> Self {
        Self::new()
    }
}

impl Busy {
    /// Nothing is covered.
    #[must_use]
    pub const fn new() -> Self {
        Self { spans: [Span::NONE; SPANS], count: 0 }
    }

    /// Covers the time from `from` to `to`, and says how much of it was not covered before. Nothing if it ends before it begins.
    pub fn cover(&mut self, from: Nanos, to: Nanos) -> Nanos {
        if to <= from {
            return Nanos::ZERO;
        }
        let spans = self.spans.get(..self.count).unwrap_or_default();
        // Those that touch the new one are in a row.
        let first = spans.partition_point(|span| span.to < from);
        let after = spans.partition_point(|span| span.from <= to);
        let touched = spans.get(first..after).unwrap_or_default();
        let overlap: u64 =
            touched.iter().map(|span| Span { from: span.from.max(from), to: span.to.min(to) }.length()).sum();
        let merged = Span {
            from: touched.first().map_or(from, |span| span.from.min(from)),
            to: touched.last().map_or(to, |span| span.to.max(to)),
        };
        self.replace(first, after, merged);
        Nanos(to.0 - from.0 - overlap)
    }

    /// Forgets what was over by `instant`: nothing will be covered any more that began before.
    pub fn forget_before(&mut self, instant: Nanos) {
        let spans = self.spans.get(..self.count).unwrap_or_default();
        let over = spans.partition_point(|span| span.to <= instant);
        self.spans.copy_within(over..self.count, 0);
        self.count -= over;
    }

    /// Puts `merged` in the place of the spans `first..after`.
    fn replace(&mut self, first: usize, after: usize, merged: Span) {
        if first == after && self.count == SPANS {
            self.insert_into_full(first, merged);
            return;
        }
        let old = self.count;
        self.count = old - (after - first) + 1;
        if first == after {
            self.spans.copy_within(first..old, first + 1);
        } else {
            self.spans.copy_within(after..old, first + 1);
        }
        if let Some(span) = self.spans.get_mut(first) {
            *span = merged;
        }
    }

    /// Puts `new` before the span `at` of a full set, by forgetting what is shortest.
    fn insert_into_full(&mut self, at: usize, new: Span) {
        let mut all = [Span::NONE; SPANS + 1];
        for (index, place) in all.iter_mut().enumerate() {
            let old = if index < at { index } else { index.saturating_sub(1) };
            *place = if index == at { new } else { self.spans.get(old).copied().unwrap_or(Span::NONE) };
        }
        let spans =
            all.iter().take(OLD).map(|span| span.length()).enumerate().min_by_key(|&(_, length)| length);
        let gaps = all.windows(2).take(OLD).map(gap).enumerate().min_by_key(|&(_, length)| length);
        let (Some((span, shortest)), Some((before, gap))) = (spans, gaps) else { return };
        let gone = if gap <= shortest {
            // The gap's left neighbour grows over it; the right one goes.
            if let [left, right, ..] = all.get_mut(before..).unwrap_or_default() {
                left.to = right.to;
            }
            before + 1
        } else {
            span
        };
        let kept = all.iter().enumerate().filter(|&(index, _)| index != gone);
        for (place, (_, span)) in self.spans.iter_mut().zip(kept) {
            *place = *span;
        }
    }
}

/// The time between two spans.
fn gap(pair: &[Span]) -> u64 {
    match pair {
        [left, right] => right.from.0.saturating_sub(left.to.0),
        _ => u64::MAX,
    }
}
