//! Epochs that ran side by side share what they cost.

use policy::compute::Nanos;

use super::settle::{Done, Measured};

/// Shares what epochs of a look have used together, where they overlap, by how long they took.
///
/// As it was measured, the first of them has used all of the time and the others nothing, whichever is called the first. In sum
/// that is right, but it says nothing about what one costs.
pub(super) fn share<E>(done: &mut [Done<E>]) {
    let start = |done: &Done<E>| done.measured.map_or(Nanos::ZERO, |measured| measured.start);
    done.sort_unstable_by_key(start);
    let mut rest = done;
    while !rest.is_empty() {
        let (group, after) = rest.split_at_mut(beside(rest));
        let sum = |part: fn(&Measured) -> Nanos| {
            group
                .iter()
                .filter_map(|done| done.measured.as_ref())
                .map(part)
                .fold(Nanos::ZERO, Nanos::saturating_add)
        };
        let (used, length) = (sum(|measured| measured.used), sum(Measured::length));
        if used < length {
            for measured in group.iter_mut().filter_map(|done| done.measured.as_mut()) {
                measured.used = used.in_proportion(measured.length().0, length.0);
            }
        }
        rest = after;
    }
}

/// How many at the beginning of `done` overlap with one another; at least one.
fn beside<E>(done: &[Done<E>]) -> usize {
    let mut end = None;
    let apart = done.iter().position(|done| {
        let Some(measured) = done.measured else { return false };
        let is_apart = end.is_some_and(|end| measured.start >= end);
        end = Some(end.unwrap_or(measured.end).max(measured.end));
        is_apart
    });
    apart.unwrap_or(done.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ContextId;
    use crate::launches::StreamId;
    use crate::launches::epoch::{Epoch, Tally};

    fn done(start: u64, end: u64, used: u64) -> Done<()> {
        let stream = StreamId { context: ContextId(0), stream: 0 };
        let (since, span, tally) = (Nanos(start), Nanos::ZERO, Tally::default());
        let (is_awaited, is_forgiven) = (false, false);
        let epoch = Epoch { stream, start: (), end: (), since, span, is_awaited, is_forgiven, tally };
        Done { epoch, measured: Some(Measured { start: Nanos(start), end: Nanos(end), used: Nanos(used) }) }
    }

    fn shared(mut all: Vec<Done<()>>) -> Vec<u64> {
        share(&mut all);
        all.iter().map(|done| done.measured.map_or(0, |measured| measured.used.0)).collect()
    }

    #[test]
    fn those_beside_each_other_have_used_as_much_as_each_took_of_all() {
        let all = vec![done(500, 600, 100), done(3, 103, 3), done(0, 100, 100), done(6, 106, 3)];
        assert_eq!(shared(all), [35, 35, 35, 100]);
    }

    #[test]
    fn those_one_after_the_other_have_used_what_each_took() {
        assert_eq!(shared(vec![done(10, 20, 10), done(0, 10, 10), done(20, 50, 30)]), [10, 10, 30]);
        assert_eq!(shared(Vec::new()), [0; 0]);
    }

    #[test]
    fn one_of_which_nothing_is_known_keeps_nobody_from_sharing() {
        let unknown = Done { measured: None, ..done(0, 0, 0) };
        assert_eq!(shared(vec![unknown, done(0, 100, 100), done(0, 100, 0)]), [0, 50, 50]);
    }
}
