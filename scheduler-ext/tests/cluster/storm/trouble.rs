//! What happens to pods, nodes, agents and schedulers meanwhile.

use std::fmt;
use std::time::{Duration, Instant};

use kube_harness::product::{agent, chart};
use kube_harness::{Namespace, kubectl};

use crate::site::{Container, NODES, kill, leader};

const BETWEEN_DELETES: Duration = Duration::from_secs(2);

/// What has been done.
#[derive(Default)]
pub(super) struct Trouble {
    deleted: u32,
    agents: u32,
    schedulers: u32,
    extenders: u32,
    leaders: u32,
    drained: bool,
}

impl Trouble {
    /// Deletes a pod every other second, and kills something else each time; in the second third of the time one node is drained.
    pub(super) fn make(space: &Namespace, lasts: Duration) -> Self {
        let start = Instant::now();
        let mut trouble = Self::default();
        let mut random = 88_172_645_463_325_252_u64;
        let drained = NODES[1].0;
        for round in 0_u32.. {
            let passed = start.elapsed();
            if passed > lasts {
                break;
            }
            match (trouble.drained, passed > lasts / 3, passed > lasts * 2 / 3) {
                (false, true, false) => trouble.drained = drain(drained),
                (true, _, true) => uncordon(drained),
                _ => {}
            }
            std::thread::sleep(BETWEEN_DELETES);
            trouble.deleted += u32::from(delete_one(space, next(&mut random)));
            trouble.kill_something(round);
        }
        uncordon(drained);
        trouble
    }

    /// By turns an agent, and of the leader one container, the other one, and the pod.
    fn kill_something(&mut self, round: u32) {
        let Some((pod, node)) = leader() else { return };
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
                    kubectl(&["--namespace", chart::SYSTEM, "delete", "pod", &pod, "--wait=false"], "");
                self.leaders += u32::from(gone.is_ok());
            }
            // Then there is time to place pods.
            _ => {}
        }
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { deleted, agents, schedulers, extenders, leaders, drained } = self;
        write!(
            f,
            "{deleted} pods were deleted, agents killed {agents} times, extenders {extenders} times, kube-schedulers {schedulers} \
             times, leaders deleted {leaders} times; a node was drained: {drained}"
        )
    }
}

/// Sends all pods of a node away, and lets none come. Those of a DaemonSet stay.
fn drain(node: &str) -> bool {
    let flags = ["--ignore-daemonsets", "--delete-emptydir-data", "--force", "--timeout=30s"];
    // Budgets may hold up some of it.
    if let Err(error) = kubectl(&[&["drain", node], &flags[..]].concat(), "") {
        println!("{error}");
    }
    true
}

fn uncordon(node: &str) {
    kubectl(&["uncordon", node], "").unwrap_or_else(|error| panic!("{error}"));
}

/// Deletes one of the pods that have been bound, wherever it is on its way.
fn delete_one(space: &Namespace, random: u64) -> bool {
    let bound = ["get", "pods", "--field-selector=spec.nodeName!=", "-o", "name"];
    let names = space.kubectl(&bound).unwrap_or_default();
    let names: Vec<&str> = names.lines().collect();
    let Some(number) = random.checked_rem(u64::try_from(names.len()).unwrap_or(0)) else { return false };
    let name = names[usize::try_from(number).unwrap_or(0)];
    space.kubectl(&["delete", name, "--wait=false"]).is_ok()
}

/// Marsaglia's xorshift: the same numbers each time.
fn next(state: &mut u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    *state
}
