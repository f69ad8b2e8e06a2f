//! What kubelet does with a replica whose extender hangs.

use kube_harness::product::chart;
use kube_harness::{kubectl, wait_until};

use crate::auditor::audited;
use crate::ledgers;
use crate::site::{Container, describe, leader, pause, site};
use crate::tenant::{deployment, manifest};

const PODS: u64 = 10;
const MIB: u32 = 4000;

/// Whether kubelet has said that it ends the extender of this pod, because its probe has failed.
fn is_given_up(pod: &str) -> bool {
    let about = format!("involvedObject.name={pod},reason=Killing");
    let events = ["--namespace", chart::SYSTEM, "get", "events", "--field-selector", &about];
    let said = "Container extender failed liveness probe, will be restarted";
    kubectl(&events, "").is_ok_and(|events| events.contains(said))
}

#[test]
fn pods_are_placed_although_the_leaders_extender_hangs_until_it_is_killed() {
    let Some(cluster) = site() else { return };
    audited(|| {
        let space = cluster.namespace();
        let hung = leader().expect("somebody leads");
        let hangs = pause(&hung.node, Container::Extender);
        space.apply(&deployment("pods", PODS, manifest("pods", "sleep 1000", MIB)));
        // By whichever replica: this one when it is started anew, or the other one when it is given the lease before.
        let all_run = || space.list("deployments")[0]["status"]["availableReplicas"] == PODS;
        wait_until("all pods run", || all_run().then_some(()), describe);
        assert!(is_given_up(&hung.name), "{}", describe());
        ledgers::until_right();
        drop(hangs);
        space.kubectl(&["delete", "deployment", "pods", "--timeout=60s"]).expect("it goes");
    });
}
