//! What happens to the node and its pods meanwhile.

use std::fmt;
use std::time::{Duration, Instant};

use kube_harness::{Cluster, Deletions, Namespace};

use crate::agent::Agent;

const BETWEEN_DELETES: Duration = Duration::from_secs(2);
/// Deletes from one kill of the agent to the next, and from one restart of kubelet to the next.
const KILLS: u32 = 2;
const RESTARTS: u32 = 12;

/// What has been done.
pub(super) struct Trouble {
    kills: u32,
    restarts: u32,
    deleted: u32,
    /// The last one stays.
    agent: Agent,
}

impl Trouble {
    /// Deletes a pod every other second, kills the agent twice as rarely, and now and then kubelet, by turns with SIGTERM and
    /// SIGKILL.
    pub(super) fn make(cluster: &Cluster, space: &Namespace, agent: Agent, lasts: Duration) -> Self {
        let kubelet = cluster.node("node-1").kubelet;
        let start = Instant::now();
        let mut trouble = Self { kills: 0, restarts: 0, deleted: 0, agent };
        let mut deletions = Deletions::default();
        for round in 1_u32.. {
            if start.elapsed() > lasts {
                break;
            }
            std::thread::sleep(BETWEEN_DELETES);
            trouble.deleted += u32::from(deletions.delete_one(space));
            if round.is_multiple_of(KILLS) {
                trouble.agent = trouble.agent.restart();
                trouble.kills += 1;
            }
            if round.is_multiple_of(RESTARTS) {
                if round.is_multiple_of(2 * RESTARTS) { kubelet.kill() } else { kubelet.stop() }.unwrap();
                kubelet.start().unwrap();
                trouble.restarts += 1;
            }
        }
        trouble
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kills, restarts, deleted, .. } = self;
        write!(f, "the agent was killed {kills} times, kubelet {restarts} times, {deleted} pods were deleted")
    }
}
