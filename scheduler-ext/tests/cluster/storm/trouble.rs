//! What happens to pods, nodes, agents and schedulers meanwhile.

use std::fmt;
use std::time::{Duration, Instant};

use kube_harness::product::{agent, chart};
use kube_harness::{Deletions, Namespace, kubectl};

use crate::site::{Container, NODES, Replica, kill, leader};

const BETWEEN_DELETES: Duration = Duration::from_secs(2);

/// What has been done.
#[derive(Default)]
pub(super) struct Trouble {
    deleted: u32,
    agents: u32,
    schedulers: u32,
    extenders: u32,
    leaders: u32,
}

impl Trouble {
    /// Deletes a pod every other second, and kills something else each time; in the second third of the time one node is drained.
    pub(super) fn make(space: &Namespace, lasts: Duration) -> Self {
        let start = Instant::now();
        let mut trouble = Self::default();
        let mut deletions = Deletions::default();
        std::thread::scope(|scope| {
            scope.spawn(|| Drained::from_to(NODES[1].0, start + lasts / 3, start + lasts * 2 / 3));
            for round in 0_u32.. {
                if start.elapsed() > lasts {
                    break;
                }
                std::thread::sleep(BETWEEN_DELETES);
                trouble.deleted += u32::from(deletions.delete_one(space));
                trouble.kill_something(round);
            }
        });
        trouble
    }

    /// By turns an agent, and of the leader one container, the other one, and the pod.
    fn kill_something(&mut self, round: u32) {
        let Some(Replica { name, node, .. }) = leader() else { return };
        match round % 5 {
            0 => {
                let even = (round / 5).is_multiple_of(2);
                agent::kill(NODES[usize::from(even)].0);
                self.agents += 1;
            }
            1 => {
                kill(&node, Container::Extender);
                self.extenders += 1;
            }
            2 => {
                kill(&node, Container::KubeScheduler);
                self.schedulers += 1;
            }
            3 => {
                let gone =
                    kubectl(&["--namespace", chart::SYSTEM, "delete", "pod", &name, "--wait=false"], "");
                self.leaders += u32::from(gone.is_ok());
            }
            // Then there is time to place pods.
            _ => {}
        }
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { deleted, agents, schedulers, extenders, leaders } = self;
        write!(
            f,
            "{deleted} pods were deleted, agents killed {agents} times, extenders {extenders} times, kube-schedulers {schedulers} \
             times, leaders deleted {leaders} times"
        )
    }
}

/// A node to which no pods come.
struct Drained(&'static str);

impl Drained {
    /// Sends all pods of a node away at one time, but those of a DaemonSet, and lets them come again at another one.
    fn from_to(node: &'static str, start: Instant, end: Instant) {
        let until = |time: Instant| std::thread::sleep(time.saturating_duration_since(Instant::now()));
        until(start);
        let _drained = Self(node);
        let flags = ["--ignore-daemonsets", "--delete-emptydir-data", "--force", "--timeout=20s"];
        let drained = kubectl(&[&["drain", node], &flags[..]].concat(), "");
        // A budget, or pods that take their time, may hold up some of it.
        println!("{node} was drained: {:?}", drained.map(|said| said.lines().count()));
        until(end);
    }
}

impl Drop for Drained {
    fn drop(&mut self) {
        let said = kubectl(&["uncordon", self.0], "");
        assert!(said.is_ok() || std::thread::panicking(), "{said:?}");
    }
}
