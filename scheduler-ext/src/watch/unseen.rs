//! Pods that were bound from here, and of which nothing has been heard since.
//!
//! A pod that is bound and deleted while pods are listed may be in no list, and no watch tells of it: it would hold what it has for ever.

use std::convert::Infallible;
use std::time::Duration;

use super::rounds::Rounds;
use crate::ledger::SharedLedger;

/// A watch that goes on tells of a pod long before that.
const TOLD_WITHIN: Duration = Duration::from_secs(10);

/// Has `pods` listed anew, for ever, when one has been bound for so long and was not heard of. A list that is asked for after a bind
/// shows the pod, unless it is gone.
pub(super) async fn list_unseen(ledger: &SharedLedger, pods: &Rounds) -> Infallible {
    loop {
        let mark = ledger.read().mark();
        tokio::time::sleep(TOLD_WITHIN).await;
        let is_unseen = ledger.read().has_unseen(mark);
        if is_unseen && pods.is_clear() {
            tracing::info!("a pod was bound from here and not heard of since: pods are listed anew");
            pods.another().await;
        }
    }
}
