//! Sets of devices, one after the other.

use std::ops::ControlFlow;

/// The most sets that are looked at for one pod: more than a container that wants 8 of 16 devices has.
pub(crate) const MOST: u64 = 20_000;

/// How many sets of `count` there are among `all`, or [`u64::MAX`].
pub(crate) fn number(all: usize, count: usize) -> u64 {
    let (all, count) = (all as u64, count as u64);
    (0..count)
        .try_fold(1_u64, |sets, taken| Some(sets.checked_mul(all.saturating_sub(taken))? / (taken + 1)))
        .unwrap_or(u64::MAX)
}

/// Shows the sets of `count` places among `all` in lexicographic order, until `show` has seen enough. Where two places are twins,
/// a set with the second alone is left out: it is as good as the one with the first.
pub(crate) fn each(
    all: usize,
    count: usize,
    are_twins: &impl Fn(usize, usize) -> bool,
    show: &mut impl FnMut(&[usize]) -> ControlFlow<()>,
) -> ControlFlow<()> {
    complete(&mut Vec::with_capacity(count), 0, all, count, are_twins, show)
}

/// Completes `set` by places from `from` on.
fn complete(
    set: &mut Vec<usize>,
    from: usize,
    all: usize,
    count: usize,
    are_twins: &impl Fn(usize, usize) -> bool,
    show: &mut impl FnMut(&[usize]) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let missing = count - set.len();
    if missing == 0 {
        return show(set);
    }
    for place in from..=all.saturating_sub(missing) {
        let is_left_out = |other: usize| !set.contains(&other) && are_twins(other, place);
        if place >= all || (0..place).any(is_left_out) {
            continue;
        }
        set.push(place);
        complete(set, place + 1, all, count, are_twins, show)?;
        set.pop();
    }
    ControlFlow::Continue(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sets(all: usize, count: usize, are_twins: impl Fn(usize, usize) -> bool) -> Vec<Vec<usize>> {
        let mut seen = Vec::new();
        let _ = each(all, count, &are_twins, &mut |set| {
            seen.push(set.to_vec());
            ControlFlow::Continue(())
        });
        seen
    }

    #[test]
    fn all_sets_come_in_order() {
        assert_eq!(sets(4, 2, |_, _| false), [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]);
        assert_eq!(sets(3, 0, |_, _| false), [[0_usize; 0]; 1]);
        assert!(sets(2, 3, |_, _| false).is_empty() && sets(0, 1, |_, _| false).is_empty());
    }

    #[test]
    fn of_twins_the_first_are_taken() {
        assert_eq!(sets(4, 2, |_, _| true), [[0, 1]]);
        // 0 and 2 are twins, 1 and 3 are.
        assert_eq!(sets(4, 2, |one, other| one % 2 == other % 2), [[0, 1], [0, 2], [1, 3]]);
    }

    #[test]
    fn there_are_as_many_as_are_counted() {
        for (all, count) in [(4, 2), (5, 5), (6, 1), (3, 4), (7, 3)] {
            assert_eq!(number(all, count), sets(all, count, |_, _| false).len() as u64);
        }
        assert_eq!(number(16, 8), 12_870);
        assert_eq!(number(200, 100), u64::MAX);
    }
}
