//! How much is tried before a pod counts as one that does not fit.

use std::cell::Cell;

use crate::sets::MOST;

/// What each node is given in any case: a pod that fits is nearly always placed by the first set of each container.
const LEAST: u64 = 32;

/// How many sets of devices are listed, to be brought into an order, in the time in which one is tried.
const LISTED: u64 = 8;

/// Sets of devices that may yet be tried, for one node or for many: a pod can be such that thousands of sets of each node have to be
/// tried to know that it does not fit, and somebody waits for the answer about all nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Effort {
    shared: u64,
}

impl Default for Effort {
    /// That of one node: all sets are tried that containers for 8 of 16 devices have.
    fn default() -> Self {
        Self { shared: MOST }
    }
}

impl Effort {
    /// So many sets for all nodes together, besides a few for each.
    #[must_use]
    pub const fn shared(sets: u64) -> Self {
        Self { shared: sets }
    }

    /// What one node gets of it.
    pub(crate) fn of_one_node(&self) -> Purse {
        let all = self.shared.min(MOST - LEAST) + LEAST;
        Purse { all, left: Cell::new(all) }
    }

    /// Takes away what was used of it.
    pub(crate) const fn settle(&mut self, purse: &Purse) {
        let used = purse.all - purse.left.get();
        self.shared = self.shared.saturating_sub(used.saturating_sub(LEAST));
    }
}

/// What may be tried for one node.
#[derive(Debug)]
pub(crate) struct Purse {
    all: u64,
    left: Cell<u64>,
}

impl Purse {
    pub(crate) const fn is_empty(&self) -> bool {
        self.left.get() == 0
    }

    /// Pays for a set that is tried.
    pub(crate) fn pay(&self) {
        self.left.set(self.left.get().saturating_sub(1));
    }

    /// Pays for sets that are listed.
    pub(crate) fn pay_for_listed(&self, sets: usize) {
        self.left.set(self.left.get().saturating_sub(sets as u64 / LISTED));
    }

    /// How many sets can be listed.
    pub(crate) const fn listed(&self) -> u64 {
        self.left.get().saturating_mul(LISTED)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_gets_a_few_sets_even_when_all_is_used_up() {
        let mut effort = Effort::shared(10);
        for left in [LEAST + 10, LEAST, LEAST] {
            let purse = effort.of_one_node();
            assert_eq!(purse.all, left);
            (0..left + 5).for_each(|_| purse.pay());
            assert!(purse.is_empty());
            effort.settle(&purse);
        }
    }

    #[test]
    fn who_uses_little_leaves_all_to_others() {
        let mut effort = Effort::shared(100);
        let purse = effort.of_one_node();
        (0..LEAST).for_each(|_| purse.pay());
        effort.settle(&purse);
        assert_eq!(effort, Effort::shared(100));
    }
}
