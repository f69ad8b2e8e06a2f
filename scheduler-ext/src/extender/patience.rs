//! How often in a row a pod is told that it will be tried again.
//!
//! A node that was not offered may be one that kube-scheduler never offers this pod, for reasons that are not known here. After a while
//! the pod is told what is wrong with the nodes that were offered. Then it waits until something happens that may help by what
//! kube-scheduler knows, and with that it begins anew.

use contract::claim::PodUid;

use super::recent::Recent;

/// kube-scheduler offers a twentieth of its nodes or more, and others at each try.
pub(super) const TRIES: u32 = 20;

/// How often each pod was told so, since it was told something else.
#[derive(Debug, Default)]
pub struct Patience(Recent<u32>);

impl Patience {
    /// Whether it may be told so once more.
    pub(super) fn lasts(&self, uid: &PodUid) -> bool {
        self.told(uid) < TRIES
    }

    /// It is told so now, or something else.
    pub(super) fn note(&self, uid: &PodUid, is_tried_again: bool) {
        let told = self.told(uid);
        if is_tried_again {
            self.0.put(uid, told.saturating_add(1));
        } else if told > 0 {
            self.0.put(uid, 0);
        }
    }

    fn told(&self, uid: &PodUid) -> u32 {
        self.0.get(uid).unwrap_or(0)
    }
}
