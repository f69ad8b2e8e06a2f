//! One pod after the other, for each node.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{Mutex as Turn, OwnedMutexGuard};

/// A turn at a node, which is over when this is gone.
pub(super) type NodeTurn = OwnedMutexGuard<()>;

/// Whose turn it is, for each node that somebody waits for.
#[derive(Debug, Default)]
pub(super) struct NodeTurns(Mutex<HashMap<String, Arc<Turn<()>>>>);

impl NodeTurns {
    /// Waits until it is the caller's turn at the node.
    pub(super) async fn take(&self, node: &str) -> NodeTurn {
        let turn = {
            let mut turns = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            turns.retain(|_, turn| Arc::strong_count(turn) > 1);
            Arc::clone(turns.entry(node.to_owned()).or_default())
        };
        turn.lock_owned().await
    }
}
