//! The ledger of a program.

use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use super::Ledger;

/// One ledger for all parts of a program. Guards are held for as long as something is looked up or changed, never across an await.
#[derive(Clone, Debug)]
pub struct SharedLedger(Arc<RwLock<Ledger>>);

impl SharedLedger {
    /// Shares `ledger`.
    #[must_use]
    pub fn new(ledger: Ledger) -> Self {
        Self(Arc::new(RwLock::new(ledger)))
    }

    /// To look something up.
    pub fn read(&self) -> RwLockReadGuard<'_, Ledger> {
        // After a panic in a change, the next change of that node computes it anew, and the audit finds what is left.
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// To change it.
    pub fn write(&self) -> RwLockWriteGuard<'_, Ledger> {
        self.0.write().unwrap_or_else(PoisonError::into_inner)
    }
}
