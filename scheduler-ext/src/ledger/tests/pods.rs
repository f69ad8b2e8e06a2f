//! What pods hold.

use placement::Refusal;
use serde_json::json;

use super::super::*;
use super::scene::{self, World, asks};

#[test]
fn a_pod_that_is_on_its_way_out_holds_what_it_has_also_after_a_restart() {
    let mut world = World::new();
    world.node("n", &[1000]);
    let mut pod = scene::bound("a", &asks(1, 600, 30), &scene::claim("a", "n", &[(0, 600, 30)]), "Running");
    pod["metadata"]["deletionTimestamp"] = json!("2026-01-01T00:00:00Z");
    world.pod(&pod);
    assert_eq!(world.used("n"), [(1, 600, 30)]);
    assert!(world.ledger.holdings("n").all(|holding| holding.facts.is_leaving));
    pod["status"]["phase"] = json!("Failed");
    world.pod(&pod);
    assert_eq!(world.used("n"), [(0, 0, 0)]);
}

#[test]
fn whoever_is_alone_is_alone_after_a_restart_as_well() {
    let mut world = World::new();
    world.node("n", &[1000]);
    let alone = json!({"nvidia.com/vgpu-number": "1"});
    let claim = world.assume("a", "n", &alone).unwrap().claim;
    let mut later = World::new();
    later.pod(&scene::bound("a", &alone, &claim, "Running"));
    later.node("n", &[1000]);
    assert_eq!(format!("{:?}", later.ledger.view("n")), format!("{:?}", world.ledger.view("n")));
    let refused = later.assume("b", "n", &asks(1, 1, 0)).unwrap_err();
    assert_eq!(refused.to_string(), "container main wants 1 GPU and could have 0: GPU used exclusively (1)");
    assert!(matches!(refused, AssumeError::Refused(Refusal::Container { .. })));
}

#[test]
fn an_init_container_and_a_sidecar_are_counted_as_they_run() {
    let mut world = World::new();
    world.node("n", &[1000]);
    let limits = |memory| json!({"limits": asks(1, memory, 0)});
    let pod = json!({
        "metadata": {"name": "a", "namespace": "team", "uid": "a", "annotations": {"nvidia.com/vgpu-claim":
            scene::claim_of("a", "n", &[("first", &[(0, 700, 0)]), ("proxy", &[(0, 100, 0)]), ("main", &[(0, 200, 0)])]).encode()}},
        "spec": {"nodeName": "n",
            "initContainers": [{"name": "first", "resources": limits(700)},
                {"name": "proxy", "restartPolicy": "Always", "resources": limits(100)}],
            "containers": [{"name": "main", "resources": limits(200)}]},
        "status": {"phase": "Pending"}
    });
    world.pod(&pod);
    assert_eq!(world.used("n"), [(2, 700, 0)]);
}

#[test]
fn a_pod_that_runs_with_nobody_knows_what_closes_its_node() {
    let mut world = World::new();
    world.node("n", &[1000]);
    let other = scene::claim("b", "n", &[(0, 600, 0)]);
    let mut pod = scene::bound("a", &asks(1, 600, 0), &other, "Pending");
    world.pod(&pod);
    assert!(world.ledger.view("n").is_ok(), "it cannot start, so it holds nothing");
    pod["status"]["phase"] = json!("Running");
    world.pod(&pod);
    let fault = world.ledger.view("n").unwrap_err().to_string();
    assert_eq!(
        fault,
        "node has a pod with an unreadable vGPU claim: team/a: its claim is of pod b; delete the pod"
    );
    assert!(world.ledger.view_without("n", &["a".parse().unwrap()]).is_ok());
    world.gone("a");
    assert!(world.ledger.view("n").is_ok());
}

#[test]
fn a_claim_that_is_made_smaller_later_is_not_believed() {
    let mut world = World::new();
    world.node("n", &[1000]);
    world.pod(&scene::bound("a", &asks(1, 900, 0), &scene::claim("a", "n", &[(0, 900, 0)]), "Running"));
    let mut pod = scene::bound("a", &asks(1, 900, 0), &scene::claim("a", "n", &[(0, 1, 0)]), "Running");
    world.pod(&pod);
    assert_eq!(world.used("n"), [(1, 900, 0)]);
    pod["metadata"]["annotations"] = json!({});
    world.pod(&pod);
    assert_eq!(world.used("n"), [(1, 900, 0)]);
}

#[test]
fn annotations_that_everybody_can_write_hold_nothing() {
    let mut world = World::new();
    world.node("n", &[1000]);
    let mut pod = scene::bound("a", &asks(1, 900, 0), &scene::claim("a", "n", &[(0, 900, 0)]), "Pending");
    let devices = format!("main[0_{}_30_700]", scene::uuid(0));
    pod["metadata"]["annotations"] =
        json!({"nvidia.com/pre-allocated": devices, "nvidia.com/predicate-node": "n"});
    world.pod(&pod);
    assert_eq!(world.used("n"), [(0, 0, 0)]);
}

#[test]
fn a_running_pod_that_asks_for_memory_alone_closes_nothing() {
    let mut world = World::new();
    world.node("n", &[1000]);
    let mut pod = scene::pod("a", &json!({"nvidia.com/vgpu-memory": "1"}));
    pod["spec"]["nodeName"] = json!("n");
    pod["status"]["phase"] = json!("Running");
    world.pod(&pod);
    assert_eq!(world.used("n"), [(0, 0, 0)]);
}
