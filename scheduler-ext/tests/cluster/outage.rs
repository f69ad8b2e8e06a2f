//! The API server, what it keeps everything in, or the leader goes away while pods are being bound.

use std::thread::sleep;
use std::time::Duration;

use kube_harness::{Cluster, Namespace, Service, wait_until};
use serde_json::{Value, json};

use crate::auditor::audited;
use crate::ledgers;
use crate::site::{Container, Replica, describe, kill, leader, pause, site};
use crate::tenant::manifest;

const PODS: usize = 20;
const MIB: u32 = 4000;

/// How often it is looked whether pods are being bound, and how often that is done in vain.
const PAUSE: Duration = Duration::from_millis(100);
const LOOKS: u32 = 30;

/// Makes pods, and returns when the leader waits for this service, which hangs, to bind them.
fn bind_while_it_hangs(cluster: &Cluster, space: &Namespace, service: &Service) -> Replica {
    let attempt = || {
        let leader = leader()?;
        let before = pause(&leader.node, Container::KubeScheduler);
        space.apply(&pods());
        service.pause().expect("it runs");
        drop(before);
        let reserves = |_| {
            sleep(PAUSE);
            ledgers::held(&leader.address).is_some_and(|held| !held.is_empty())
        };
        if (0..LOOKS).any(reserves) {
            return Some(leader);
        }
        // On a slow machine it leads no more when the pods are made.
        service.resume().expect("it runs");
        cluster.wait_for_api();
        space.kubectl(&["delete", "pods", "--all", "--timeout=60s"]).expect("they go");
        None
    };
    wait_until("pods are being bound", attempt, describe)
}

fn pods() -> Value {
    let pod = |number| manifest(&format!("pod-{number}"), "sleep 1000", MIB);
    json!({"apiVersion": "v1", "kind": "List", "items": (0..PODS).map(pod).collect::<Vec<_>>()})
}

fn until_all_run(space: &Namespace) {
    let running = || space.list("pods").iter().filter(|pod| pod["status"]["phase"] == "Running").count();
    let explain = || format!("{} run\n{}", running(), describe());
    wait_until("all pods run", || (running() == PODS).then_some(()), explain);
}

/// Everything runs, the ledgers are right, and right again when all is gone.
fn ends_well(cluster: &Cluster, space: Namespace) {
    cluster.wait_for_api();
    until_all_run(&space);
    ledgers::until_right();
    drop(space);
    ledgers::until_right();
}

#[test]
fn pods_are_bound_although_the_store_hangs_and_the_api_server_is_killed_meanwhile() {
    let Some(cluster) = site() else { return };
    audited(|| {
        let space = cluster.namespace();
        bind_while_it_hangs(&cluster, &space, &cluster.etcd());
        cluster.api_server().kill().expect("it runs");
        cluster.etcd().resume().expect("it runs");
        cluster.api_server().start().expect("it starts");
        ends_well(&cluster, space);
    });
}

#[test]
fn what_a_leader_was_binding_when_it_died_is_bound_once() {
    let Some(cluster) = site() else { return };
    audited(|| {
        let space = cluster.namespace();
        let Replica { node, .. } = bind_while_it_hangs(&cluster, &space, &cluster.api_server());
        kill(&node, Container::Extender);
        kill(&node, Container::KubeScheduler);
        cluster.api_server().resume().expect("it runs");
        ends_well(&cluster, space);
    });
}
