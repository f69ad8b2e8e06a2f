//! What is charged for one pool of the driver, while threads allocate from it and its memory comes and goes.

use contract::Bytes;

/// The account of one pool: the charge follows what the driver says that the pool has reserved.
///
/// A thread that allocates [begins](Self::begin) with a bound of what the pool may grow by, already charged on its
/// device, has the driver allocate, asks what is reserved *after* that, and [settles](Self::settle). Others may do the
/// same at any moment. Whoever finds that the pool has shrunk [lowers](Self::reconcile) the charge.
///
/// The invariant: *the charge and the bounds of those who have begun and not settled are together at least what is
/// reserved.* It holds because whoever makes the pool grow asks after that and only then settles, and because nobody
/// lowers the charge by an answer that is older than its latest change.
///
/// Not a lock: the caller keeps it under one, and holds that across no call of the driver.
#[derive(Clone, Copy, Debug, Default)]
pub struct PoolAccount {
    charged: u64,
    /// Who has begun and not settled.
    pending: u64,
    /// How many have begun so far.
    begun: u64,
    /// How often the charge was settled or reconciled so far.
    changes: u64,
}

/// What a thread has to know of its beginning when it settles.
#[derive(Clone, Copy, Debug)]
#[must_use]
pub struct Begun {
    /// Which beginning, if it was the only one; 0 else.
    alone: u64,
    charged: u64,
}

/// What came of a settlement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settled {
    /// Of the bound, what became part of the pool's charge. The rest is to be given back.
    pub used: Bytes,
    /// What the pool has reserved that no charge and no bound covers: the bound was too low.
    pub missing: Bytes,
    /// By how much the pool has grown, where that is known exactly.
    pub growth: Option<Bytes>,
}

/// A moment before the driver was asked what is reserved.
#[derive(Clone, Copy, Debug)]
pub struct Moment(u64);

/// How a charge is to change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// Not at all.
    None,
    /// This much is to be given back.
    Refund(Bytes),
    /// This much is in use and to be charged.
    Charge(Bytes),
}

impl PoolAccount {
    /// What is charged.
    #[must_use]
    pub const fn charged(&self) -> Bytes {
        Bytes(self.charged)
    }

    /// The caller is going to allocate, with a bound charged on the device.
    pub fn begin(&mut self) -> Begun {
        self.begun += 1;
        let alone = if self.pending == 0 { self.begun } else { 0 };
        self.pending += 1;
        Begun { alone, charged: self.charged }
    }

    /// The caller has allocated, or failed to, with `bound`; then, after `moment`, the driver said that `reserved` are.
    ///
    /// `None`: the answer is too old to tell what is covered. The driver is to be asked again.
    pub fn settle(&mut self, begun: Begun, bound: Bytes, moment: Moment, reserved: Bytes) -> Option<Settled> {
        // Another one may have settled since, and have covered this one's growth with its bound instead of its own.
        if moment.0 != self.changes {
            return None;
        }
        let uncovered = reserved.0.saturating_sub(self.charged);
        let used = uncovered.min(bound.0);
        // What is left belongs to those who are at it, if there are any, and they will find it.
        let missing = if self.pending == 1 { uncovered - used } else { 0 };
        self.pending = self.pending.saturating_sub(1);
        self.changes += 1;
        self.charged += used;
        // An empty charge is that of an empty pool; any other may be of memory that has gone meanwhile.
        let is_exact = begun.alone == self.begun && begun.charged == 0;
        Some(Settled { used: Bytes(used), missing: Bytes(missing), growth: is_exact.then_some(reserved) })
    }

    /// `bytes` more were charged on the device for what was missing.
    pub const fn add(&mut self, bytes: Bytes) {
        self.charged = self.charged.saturating_add(bytes.0);
    }

    /// To be asked for before the driver is asked what is reserved.
    #[must_use]
    pub const fn moment(&self) -> Moment {
        Moment(self.changes)
    }

    /// The driver said, after `moment`, that `reserved` are. How the charge on the device is to change; here it has
    /// changed then.
    pub const fn reconcile(&mut self, moment: Moment, reserved: Bytes) -> Change {
        if moment.0 != self.changes {
            return Change::None;
        }
        let before = self.charged;
        // What is more than charged may be growth that others have a bound for.
        if reserved.0 == before || (reserved.0 > before && self.pending > 0) {
            return Change::None;
        }
        self.changes += 1;
        self.charged = reserved.0;
        match reserved.0.checked_sub(before) {
            Some(more) => Change::Charge(Bytes(more)),
            None => Change::Refund(Bytes(before - reserved.0)),
        }
    }

    /// The pool is gone, and `bytes` are to be given back.
    pub const fn close(&mut self) -> Bytes {
        let bytes = self.charged;
        self.charged = 0;
        // An answer from before is of no pool any more.
        self.changes += 1;
        Bytes(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settle(account: &mut PoolAccount, begun: Begun, bound: u64, reserved: u64) -> Settled {
        let moment = account.moment();
        account.settle(begun, Bytes(bound), moment, Bytes(reserved)).expect("an answer of this moment")
    }

    #[test]
    fn growth_is_charged_and_the_rest_of_the_bound_comes_back() {
        let mut account = PoolAccount::default();
        let begun = account.begin();
        let settled = settle(&mut account, begun, 64, 34);
        assert_eq!(settled, Settled { used: Bytes(34), missing: Bytes(0), growth: Some(Bytes(34)) });
        assert_eq!(account.charged(), Bytes(34));
    }

    #[test]
    fn growth_of_two_threads_is_charged_once_whoever_settles_first() {
        // The first sees the growth of both, 32 and 100, and cannot cover it; the second does.
        let mut account = PoolAccount::default();
        let (first, second) = (account.begin(), account.begin());
        let settled = settle(&mut account, first, 32, 132);
        assert_eq!(settled, Settled { used: Bytes(32), missing: Bytes(0), growth: None });
        let settled = settle(&mut account, second, 128, 132);
        assert_eq!(settled, Settled { used: Bytes(100), missing: Bytes(0), growth: None });
        assert_eq!(account.charged(), Bytes(132));
    }

    #[test]
    fn a_bound_is_not_given_back_for_an_answer_from_before_another_one_s_growth_was_covered() {
        let mut account = PoolAccount::default();
        let first = account.begin();
        // The first has grown the pool to 64 and asked; the second grows it to 128, and its bound covers half of that.
        let moment = account.moment();
        let second = account.begin();
        assert_eq!(settle(&mut account, second, 64, 128).used, Bytes(64));
        assert_eq!(account.settle(first, Bytes(64), moment, Bytes(64)), None);
        assert_eq!(settle(&mut account, first, 64, 128).used, Bytes(64));
        assert_eq!(account.charged(), Bytes(128));
    }

    #[test]
    fn growth_beyond_the_bound_is_missing() {
        let mut account = PoolAccount::default();
        let begun = account.begin();
        let settled = settle(&mut account, begun, 32, 40);
        assert_eq!((settled.used, settled.missing), (Bytes(32), Bytes(8)));
        account.add(Bytes(8));
        assert_eq!(account.charged(), Bytes(40));
    }

    #[test]
    fn an_answer_from_before_a_settlement_lowers_nothing() {
        let mut account = PoolAccount::default();
        let moment = account.moment();
        let begun = account.begin();
        let _ = settle(&mut account, begun, 32, 32);
        assert_eq!(account.reconcile(moment, Bytes(0)), Change::None);
        assert_eq!(account.reconcile(account.moment(), Bytes(0)), Change::Refund(Bytes(32)));
    }

    #[test]
    fn what_has_gone_since_the_driver_was_asked_is_not_missing() {
        let mut account = PoolAccount::default();
        let begun = account.begin();
        let _ = settle(&mut account, begun, 64, 64);
        let begun = account.begin();
        let moment = account.moment();
        assert_eq!(account.reconcile(moment, Bytes(0)), Change::Refund(Bytes(64)));
        assert_eq!(account.settle(begun, Bytes(32), moment, Bytes(64)), None);
        assert_eq!(settle(&mut account, begun, 32, 0).used, Bytes(0));
    }

    #[test]
    fn what_others_are_about_to_settle_is_not_charged_by_who_looks() {
        let mut account = PoolAccount::default();
        let begun = account.begin();
        assert_eq!(account.reconcile(account.moment(), Bytes(32)), Change::None);
        let _ = settle(&mut account, begun, 32, 32);
        assert_eq!(account.reconcile(account.moment(), Bytes(40)), Change::Charge(Bytes(8)));
    }

    #[test]
    fn growth_is_only_known_of_a_pool_that_was_empty_and_had_one_caller() {
        let mut account = PoolAccount::default();
        let (begun, other) = (account.begin(), account.begin());
        assert_eq!(settle(&mut account, begun, 32, 32).growth, None);
        assert_eq!(settle(&mut account, other, 32, 64).growth, None);
        let begun = account.begin();
        assert_eq!(settle(&mut account, begun, 32, 96).growth, None);
    }
}
