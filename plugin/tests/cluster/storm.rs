//! Pods come and go while the agent is killed every few seconds and kubelet is restarted: nobody ever has another's slice.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use kube_harness::{Cluster, Namespace, wait_until};
use serde_json::Value;

use crate::agent::Agent;
use crate::machine::FILL;
use crate::tenant::{manifest, run, total_of};

/// Pods at a time, fewer than the card has devices for.
const WORKERS: u32 = 6;
/// Pods that each worker brings to their end.
const PODS: u32 = 4;
const BETWEEN_KILLS: Duration = Duration::from_secs(4);

/// What has happened to all pods together.
#[derive(Default)]
struct Tally {
    right: AtomicU32,
    rejected: AtomicU32,
    deleted: AtomicU32,
    mismatches: Mutex<Vec<String>>,
}

#[test]
fn nobody_has_anothers_slice_while_the_agent_is_killed_and_kubelet_restarts() {
    let Some(cluster) = Cluster::alone() else { return };
    let agent = Agent::start();
    let space = cluster.namespace();
    let (tally, is_over) = (Tally::default(), AtomicBool::new(false));
    std::thread::scope(|scope| {
        let killer = scope.spawn(|| disturb(&cluster, agent, &is_over));
        let workers: Vec<_> = (0..WORKERS)
            .map(|worker| {
                let (space, tally) = (&space, &tally);
                scope.spawn(move || (0..PODS).for_each(|pod| bring_to_its_end(space, worker, pod, tally)))
            })
            .collect();
        let ends: Vec<_> = workers.into_iter().map(std::thread::ScopedJoinHandle::join).collect();
        is_over.store(true, Ordering::Relaxed);
        killer.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        for end in ends {
            end.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        }
    });
    let count = |counter: &AtomicU32| counter.load(Ordering::Relaxed);
    let mismatches = tally.mismatches.into_inner().unwrap();
    println!(
        "{} pods had their slice, {} were rejected and replaced, {} deleted at once; {} mismatches",
        count(&tally.right),
        count(&tally.rejected),
        count(&tally.deleted),
        mismatches.len()
    );
    assert!(mismatches.is_empty(), "{mismatches:?}");
    assert_eq!(count(&tally.right), WORKERS * PODS);
}

/// Kills the agent and starts it anew, over and over, and restarts kubelet once.
fn disturb(cluster: &Cluster, mut agent: Agent, is_over: &AtomicBool) {
    for round in 1.. {
        std::thread::sleep(BETWEEN_KILLS);
        if is_over.load(Ordering::Relaxed) {
            return;
        }
        agent = agent.restart();
        if round == 3 {
            cluster.node("node-1").kubelet.restart().unwrap();
        }
    }
}

/// A pod, and another in its place as often as kubelet rejects it.
fn bring_to_its_end(space: &Namespace, worker: u32, number: u32, tally: &Tally) {
    let size = 1000 + 100 * worker + number;
    for attempt in 0.. {
        let name = format!("pod-{worker}-{number}-{attempt}");
        let pod = run(space, &manifest(&name, &format!("{FILL} 1")), &[("main", size)]);
        if attempt == 0 && (worker + number).is_multiple_of(4) {
            tally.deleted.fetch_add(1, Ordering::Relaxed);
            pod.delete();
            continue;
        }
        let ended = || pod.phase().filter(|phase| ["Succeeded", "Failed"].contains(&phase.as_str()));
        if wait_until(&format!("{name} ends"), ended, || pod.describe()) == "Failed" {
            let status = pod.get().unwrap_or_default()["status"].clone();
            if was_never_started(&status) {
                tally.rejected.fetch_add(1, Ordering::Relaxed);
                continue;
            }
            tally.mismatches.lock().unwrap().push(format!("{name}: {status}"));
            return;
        }
        // Kubelet, which has it, may just be restarting.
        let logs = || space.kubectl(&["logs", &name]).ok();
        let logs = wait_until(&format!("the log of {name} can be read"), logs, || pod.describe());
        match total_of(&logs) {
            Some(seen) if seen == size => drop(tally.right.fetch_add(1, Ordering::Relaxed)),
            other => tally.mismatches.lock().unwrap().push(format!("{name}: {other:?} and not {size}")),
        }
        return;
    }
}

/// Kubelet has rejected the pod, or the runtime could not start its container.
fn was_never_started(status: &Value) -> bool {
    let ended = &status["containerStatuses"][0]["state"]["terminated"]["reason"];
    status["reason"].is_string() || ended == "StartError"
}
