//! Members that hold memory which another process has created.
//!
//! The driver tells nobody whether others still hold what he let them have. So a member says that it is about to hold such memory,
//! by a lock on a byte that is its slot's, and ends the lock when it holds none any more. The kernel ends it when the member dies.

use std::os::fd::AsFd;

use crate::error::LockFault;
use crate::hold::Hold;
use crate::layout::lock_bytes;
use crate::lock;
use crate::member::Member;

/// What says that a member holds memory of others, as long as it lives.
#[derive(Debug)]
pub struct Imports {
    /// Ends the lock when it is dropped.
    _hold: Hold,
}

impl Member {
    /// Says that this process holds memory of others, or is about to. To be called where that has not been said.
    ///
    /// # Errors
    /// [`LockFault`] when the file cannot be opened any more.
    pub fn mark_imports(&self) -> Result<Imports, LockFault> {
        let region = self.region();
        let locks = region.for_locks()?;
        let hold = Hold::take(lock_bytes::imports(self.slot()), locks.as_fd(), || region.for_locks())?;
        // The slot is this process', so that nobody else has locked its byte.
        hold.map(|hold| Imports { _hold: hold }).ok_or(LockFault::Full)
    }

    /// Whether any member holds memory of others; so it is taken to be where it cannot be told.
    #[must_use]
    pub fn others_hold_imports(&self) -> bool {
        let locks = self.region().for_locks();
        let is_locked = locks.map(|locks| lock::is_any_locked(locks, lock_bytes::IMPORTS));
        !matches!(is_locked, Ok(Ok(false)))
    }
}
