//! What nodes say.

use placement::Amount;
use serde_json::json;

use super::super::*;
use super::scene::{self, World, asks};

#[test]
fn an_unhealthy_gpu_is_not_chosen_and_one_that_recovers_is() {
    let mut world = World::new();
    let mut node = scene::node("n", &[1000]);
    let healthy = node["metadata"]["annotations"]["nvidia.com/node-device-register"].clone();
    let sick = healthy.as_str().unwrap().replace("\"healthy\":true", "\"healthy\":false");
    node["metadata"]["annotations"]["nvidia.com/node-device-register"] = json!(sick);
    world.note_node(&node);
    let refused = world.assume("a", "n", &asks(1, 1, 0)).unwrap_err().to_string();
    assert!(refused.ends_with("GPU unhealthy (1)"), "{refused}");
    node["metadata"]["annotations"]["nvidia.com/node-device-register"] = healthy;
    world.note_node(&node);
    assert!(world.assume("a", "n", &asks(1, 1, 0)).is_ok());
}

#[test]
fn a_node_says_why_it_takes_nobody() {
    let register = "/metadata/annotations/nvidia.com~1node-device-register";
    let config = "/metadata/annotations/nvidia.com~1node-config-info";
    for (pointer, value, expected) in [
        ("/metadata/name", json!("m"), "node missing from cache"),
        ("/status/conditions/0/status", json!("Unknown"), "node not ready"),
        ("/status/allocatable/nvidia.com~1vgpu-number", json!("0"), "node not vGPU-enabled"),
        (register, json!("[]"), "node has no vGPU registered"),
        (config, json!("{}"), "node vGPU registry invalid: the configuration: deviceSplit is missing"),
    ] {
        let mut node = scene::node("n", &[1000]);
        *node.pointer_mut(pointer).unwrap() = value;
        assert_eq!(said_of(&node), expected);
    }
    for (key, expected) in [
        ("nvidia.com/node-device-register", "node has no vGPU registered"),
        ("nvidia.com/node-config-info", "node has no vGPU configuration"),
    ] {
        let mut node = scene::node("n", &[1000]);
        node["metadata"]["annotations"].as_object_mut().unwrap().remove(key);
        assert_eq!(said_of(&node), expected);
    }
}

/// Why `n` takes nobody.
fn said_of(node: &serde_json::Value) -> String {
    let mut world = World::new();
    world.note_node(node);
    world.ledger.view("n").unwrap_err().to_string()
}

#[test]
fn gpus_that_another_plugin_gives_out_as_well_are_not_given_out() {
    let mut node = scene::node("n", &[1000]);
    node["status"]["allocatable"]["nvidia.com/gpu"] = json!("8");
    let said = "GPUs also offered by another device plugin: the node gives out nvidia.com/gpu; let one plugin have its GPUs";
    assert_eq!(said_of(&node), said);
}

#[test]
fn pods_that_come_before_their_node_are_counted_when_it_comes() {
    let mut world = World::new();
    world.pod(&scene::bound("a", &asks(1, 600, 0), &scene::claim("a", "n", &[(0, 600, 0)]), "Running"));
    world.node("n", &[1000]);
    assert_eq!(world.used("n"), [(1, 600, 0)]);
    world.ledger.forget_node("n");
    assert_eq!(world.ledger.view("n"), Err(&NodeFault::Unknown));
    world.node("n", &[1000]);
    assert_eq!(world.used("n"), [(1, 600, 0)]);
    world.ledger.forget_node("n");
    world.gone("a");
    assert!(world.ledger.nodes.is_empty() && world.ledger.pods.is_empty());
}

#[test]
fn a_list_takes_away_what_is_gone_and_nothing_that_may_be_newer() {
    let mut world = World::new();
    world.node("n", &[1000]);
    world.pod(&scene::bound("seen", &asks(1, 100, 0), &scene::claim("seen", "n", &[(0, 100, 0)]), "Running"));
    for pod in ["assumed", "earlier", "later"] {
        world.assume(pod, "n", &asks(1, 100, 0)).unwrap();
    }
    world.ledger.confirm(&"earlier".parse().unwrap());
    let since = world.ledger.mark();
    world.ledger.confirm(&"later".parse().unwrap());
    world.ledger.replace_pods(Vec::new(), since);
    let left: Vec<&str> = world.ledger.holdings("n").map(|holding| holding.uid().as_str()).collect();
    assert_eq!(left, ["assumed", "later"]);
    assert_eq!(world.used("n"), [(2, 200, 0)]);
    world.ledger.replace_nodes(Vec::new());
    assert_eq!(world.ledger.view("n"), Err(&NodeFault::Unknown));
}

#[test]
fn a_list_of_many_pods_of_a_node_sums_it_up_once() {
    let mut world = World::new();
    world.node("n", &[1000]);
    let word = |number: u32| {
        let uid = format!("p{number}");
        let pod = scene::bound(&uid, &asks(1, 10, 0), &scene::claim(&uid, "n", &[(0, 10, 0)]), "Running");
        PodWord::read(&serde_json::from_value(pod).unwrap(), world.ledger.reader()).unwrap()
    };
    let words = |count| (0..count).map(word).collect::<Vec<_>>();
    let (ten, none) = (words(10), Vec::new());
    for (list, used) in [(ten, (10, 100, 0)), (none, (0, 0, 0))] {
        let before = world.ledger.mark();
        let moments = list.iter().filter_map(PodWord::bound).count() as u64 * 2;
        world.ledger.replace_pods(list, before);
        assert_eq!(world.used("n"), [used]);
        assert!(world.ledger.mark().0 - before.0 <= moments + 1);
    }
}

#[test]
fn mig_and_gpus_that_are_not_there_are_left_alone() {
    let mut world = World::new();
    let mut node = scene::node("n", &[1000, 1000]);
    let text = node["metadata"]["annotations"]["nvidia.com/node-device-register"].as_str().unwrap();
    node["metadata"]["annotations"]["nvidia.com/node-device-register"] =
        json!(text.replacen("\"mig\":false", "\"mig\":true", 1));
    world.note_node(&node);
    world.pod(&scene::bound("a", &asks(1, 600, 0), &scene::claim("a", "n", &[(7, 600, 0)]), "Running"));
    let claim = world.assume("b", "n", &asks(1, 600, 0)).unwrap().claim;
    assert_eq!(claim.containers().values().next().unwrap()[0].uuid, scene::uuid(1));
    assert_eq!(world.used("n"), [(0, 0, 0), (1, 600, 0)]);
    assert_eq!(world.ledger.view("n").unwrap().devices[0].used, Amount::default());
}

#[test]
fn links_between_gpus_are_known_to_those_who_read_them() {
    let mut node = scene::node("n", &[1000, 1000]);
    let links = r#"[{"index":0,"links":{"1":[5,10]}},{"index":1,"links":{"0":[5,10]}}]"#;
    node["metadata"]["annotations"]["nvidia.com/node-device-topology"] = json!(links);
    let mut pod = scene::pod("a", &asks(2, 100, 0));
    pod["metadata"]["annotations"] = json!({"nvidia.com/device-topology-mode": "link-strict"});
    let pod = serde_json::from_value(pod).unwrap();
    for has_topology in [false, true] {
        let reader = Reader { has_topology, ..scene::reader() };
        let ask = reader.read(&pod).unwrap().unwrap();
        let mut world = World { ledger: Ledger::new(reader) };
        world.note_node(&node);
        assert_eq!(world.ledger.assume(&scene::facts("a"), &ask, "n").is_ok(), has_topology);
    }
}
