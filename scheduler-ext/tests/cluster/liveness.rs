//! A program of the leader hangs, as one does that nobody gives a processor.

use kube_harness::product::chart;
use kube_harness::product::process::Paused;
use kube_harness::{Namespace, kubectl, wait_until};
use serde_json::Value;

use crate::auditor::audited;
use crate::ledgers;
use crate::site::{Container, Replica, SCHEDULER, describe, leader, pause, site};
use crate::tenant::{deployment, manifest};

const PODS: u64 = 10;
const MIB: u32 = 4000;

/// Stops a program of the leader, makes pods, and returns when all of them run.
fn run_without(container: Container, space: &Namespace) -> (Replica, Paused) {
    let hung = leader().expect("somebody leads");
    let hangs = pause(&hung.node, container);
    space.apply(&deployment("pods", PODS, manifest("pods", "sleep 1000", MIB)));
    let all_run = || space.list("deployments")[0]["status"]["availableReplicas"] == PODS;
    wait_until("all pods run", || all_run().then_some(()), describe);
    (hung, hangs)
}

fn ends_well(space: &Namespace) {
    ledgers::until_right();
    space.kubectl(&["delete", "deployment", "pods", "--timeout=60s"]).expect("it goes");
}

/// Whether kubelet has said that it ends the extender of this pod, because its probe has failed.
fn is_given_up(pod: &str) -> bool {
    let about = format!("involvedObject.name={pod},reason=Killing");
    let events = ["--namespace", chart::SYSTEM, "get", "events", "--field-selector", &about];
    let said = "Container extender failed liveness probe, will be restarted";
    kubectl(&events, "").is_ok_and(|events| events.contains(said))
}

/// How many seconds kubelet bears with a container of the scheduler that answers nothing.
fn patience(container: &str) -> u64 {
    let path = format!("jsonpath={{.spec.template.spec.containers[?(@.name=='{container}')].livenessProbe}}");
    let get = ["--namespace", chart::SYSTEM, "get", "deployment", SCHEDULER, "-o", &path];
    let probe = kubectl(&get, "").expect("it is installed");
    let probe: Value = serde_json::from_str(&probe).expect("it has a probe");
    let number = |field: &str| probe[field].as_u64().expect("the API server fills in what is not said");
    number("periodSeconds") * number("failureThreshold") + number("timeoutSeconds")
}

#[test]
fn an_extender_that_hangs_is_given_up_before_kube_scheduler_which_would_take_the_lease_again() {
    let Some(_cluster) = site() else { return };
    let (extender, kube_scheduler) = (patience("extender"), patience("kube-scheduler"));
    assert!(extender < kube_scheduler, "{extender} s, {kube_scheduler} s");
}

#[test]
fn an_extender_that_hangs_is_killed_and_pods_are_placed() {
    let Some(cluster) = site() else { return };
    audited(|| {
        let space = cluster.namespace();
        // By whichever replica: this one when it is started anew, or the other one when it is given the lease before.
        let (hung, _hangs) = run_without(Container::Extender, &space);
        assert!(is_given_up(&hung.name), "{}", describe());
        ends_well(&space);
    });
}

#[test]
fn what_another_replica_has_placed_meanwhile_a_kube_scheduler_that_wakes_up_places_no_more() {
    let Some(cluster) = site() else { return };
    audited(|| {
        let space = cluster.namespace();
        let (hung, hangs) = run_without(Container::KubeScheduler, &space);
        let leads = leader().expect("somebody leads");
        assert_ne!(leads.name, hung.name, "it renews no lease");
        // It believes for a moment that it leads, and that no pod is placed.
        drop(hangs);
        ends_well(&space);
    });
}
