//! Deployments whose pods are deleted at random while the agent is killed every few seconds and kubelet is restarted: nobody
//! ever has another's slice, and all pods run again soon after.

mod fleet;
mod scheduler;
mod trouble;

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use kube_harness::product::machine::{GPU, OTHER};
use kube_harness::{Cluster, Namespace};
use serde_json::json;

use crate::agent::Agent;
use crate::tenant::total_of;
use fleet::Fleet;
use scheduler::{Given, Scheduler};
use trouble::Trouble;

/// The variable with which a storm may last longer than the usual [`SECONDS`].
const VARIABLE: &str = "VGPU_STORM_SECONDS";
const SECONDS: u64 = 50;
/// Within this after the last kill, all pods are to run. A machine that others use may take longer, which is said and is no failure.
const GOAL: Duration = Duration::from_secs(120);

#[test]
fn nobody_has_anothers_slice_while_pods_come_and_go_the_agent_is_killed_and_kubelet_restarts() {
    let Some(cluster) = Cluster::alone() else { return };
    let agent = Agent::start_on(&[GPU, OTHER], &json!({"config": {"default": {"splitCount": 100}}}));
    let space = cluster.namespace();
    let fleet = Fleet::launch(&space);
    let (scheduler, is_over) = (Scheduler::new(&space), AtomicBool::new(false));
    let (trouble, took) = std::thread::scope(|scope| {
        scope.spawn(|| scheduler.run(&is_over));
        let _end = End(&is_over);
        let trouble = Trouble::make(&cluster, &space, agent, lasts());
        let calm = Instant::now();
        fleet.wait_until_it_runs();
        let took = calm.elapsed();
        fleet.wait_until_all_have_noted(&scheduler);
        (trouble, took)
    });
    let given = scheduler.given();
    let seen = Seen::read(&fleet, &space, &given);
    println!("{trouble}\n{given}\n{} looks of programs at their slices, {} cut short", seen.right, seen.cut);
    let (took, goal) = (took.as_secs(), GOAL.as_secs());
    println!("all {} pods ran {took} s after the last kill; the goal is {goal} s", fleet::PODS);
    assert!(seen.mismatches.is_empty(), "{} mismatches: {:#?}", seen.mismatches.len(), seen.mismatches);
}

fn lasts() -> Duration {
    let seconds = std::env::var(VARIABLE).map(|text| text.parse().expect(VARIABLE));
    Duration::from_secs(seconds.unwrap_or(SECONDS))
}

/// Ends the scheduling, however the test ends.
struct End<'a>(&'a AtomicBool);

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// What programs were told that they have, beside what their claims say.
#[derive(Default)]
struct Seen {
    right: u32,
    /// By a pod's end.
    cut: u32,
    mismatches: Vec<String>,
}

impl Seen {
    fn read(fleet: &Fleet, space: &Namespace, given: &Given) -> Self {
        let mut seen = Self::default();
        let living: Vec<String> = scheduler::pods(space).iter().filter_map(scheduler::uid_of).collect();
        for note in fleet.notes() {
            let claimed = given.claimed(&note.pod, &note.container);
            match (total_of(&note.said), claimed) {
                (Some(told), Some(claimed)) if told == claimed => seen.right += 1,
                (None, Some(_)) if !living.contains(&note.pod) => seen.cut += 1,
                _ => seen.mismatches.push(format!("{note:?}, and the claim says {claimed:?}")),
            }
        }
        seen
    }
}
