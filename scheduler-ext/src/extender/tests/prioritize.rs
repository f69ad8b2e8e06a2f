use serde_json::json;

use super::*;
use crate::extender::prioritize::prioritize;
use scene::{asks, pod};

/// Nodes of which more and more is used, and one that is full.
fn world() -> World {
    let mut world = World::new();
    for (name, used) in [("empty", 0), ("some", 300), ("most", 800), ("full", 1000)] {
        world.node(name, &[1000]);
        if used > 0 {
            hold(&mut world, name, &asks(1, used.into(), 0), name, &[(0, used, 0)]);
        }
    }
    world
}

fn scores(policy: &str, offered: &[&str]) -> Vec<i64> {
    let mut pod = pod("p", &asks(1, 100, 0));
    pod["metadata"]["annotations"] = json!({"nvidia.com/node-scheduler-policy": policy});
    let priorities = prioritize(&world().ledger, &ask(&pod), names(offered));
    let score = |name: &&str| {
        let told = priorities.iter().find(|priority| priority.host == *name);
        // Who is not told of counts as 0, and need not be.
        told.map_or(0, |priority| {
            assert_ne!(priority.score, 0, "{name}");
            priority.score
        })
    };
    offered.iter().map(score).collect()
}

#[test]
fn the_best_has_ten_and_the_others_less_as_they_are_worse() {
    assert_eq!(scores("binpack", &["empty", "some", "most", "full"]), [0, 3, 10, 0]);
    assert_eq!(scores("spread", &["empty", "some", "most", "full"]), [10, 5, 0, 0]);
}

#[test]
fn those_that_are_as_good_have_the_same() {
    assert_eq!(scores("spread", &["empty", "empty"]), [10, 10]);
    assert_eq!(scores("binpack", &["some"]), [10]);
    assert_eq!(scores("none", &["empty", "some", "full", "unknown"]), [0; 4]);
    assert_eq!(scores("binpack", &["full", "unknown"]), [0, 0]);
    assert!(scores("binpack", &[]).is_empty());
}
