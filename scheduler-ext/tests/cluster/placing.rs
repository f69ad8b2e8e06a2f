//! Where pods come, through the real kube-scheduler, and what is said of those that come nowhere.

use kube_harness::product::machine::{ALL, FILL};
use kube_harness::product::tenant::total_of;
use kube_harness::{Namespace, Pod};

use crate::auditor::audited;
use crate::site::{NODES, site};
use crate::tenant::{manifest, node, placed};

/// Half of a card's memory, nearly.
const HALF: u32 = ALL / 2;

#[test]
fn a_pod_gets_its_slice_and_sees_it() {
    let Some(cluster) = site() else { return };
    audited(|| {
        let space = cluster.namespace();
        let pod = space.run(&manifest("one", &format!("{FILL} 1"), 3000));
        node(&pod);
        pod.wait_for("Succeeded");
        assert_eq!(total_of(&pod.logs()), Some(3000));
    });
}

/// The nodes of so many pods of half a card each, placed one after the other.
fn nodes(space: &Namespace, count: u32, policy: &str) -> Vec<String> {
    (0..count).map(|number| placed(space, &format!("{policy}-{number}"), HALF, policy).1).collect()
}

#[test]
fn binpack_fills_one_node_before_the_next() {
    let Some(cluster) = site() else { return };
    audited(|| {
        let nodes = nodes(&cluster.namespace(), 6, "binpack");
        let (first, rest) = nodes.split_at(4);
        assert!(first.iter().all(|node| *node == nodes[0]), "{nodes:?}");
        assert!(rest.iter().all(|node| *node != nodes[0]), "{nodes:?}");
    });
}

#[test]
fn spread_takes_the_nodes_by_turns() {
    let Some(cluster) = site() else { return };
    audited(|| {
        let nodes = nodes(&cluster.namespace(), 6, "spread");
        // After two pods both nodes are as full as each other, and either may be next.
        assert!(nodes.chunks(2).all(|pair| pair[0] != pair[1]), "{nodes:?}");
    });
}

/// Waits for an event of the pod that says this.
fn until_said(pod: &Pod, reason: &str) {
    let is_said = || pod.events().iter().any(|event| event.contains(reason));
    pod.wait_until(&format!("an event says: {reason}"), |_| is_said());
}

#[test]
fn a_pod_that_fits_nowhere_is_told_why_and_comes_when_there_is_room() {
    let Some(cluster) = site() else { return };
    audited(|| {
        let space = cluster.namespace();
        let cards = NODES.iter().map(|(_, cards)| cards.len()).sum::<usize>();
        let large: Vec<Pod> = (0..cards)
            .map(|number| placed(&space, &format!("large-{number}"), ALL - 1000, "none").0)
            .collect();
        let late = space.run(&manifest("late", &format!("{FILL} 1"), 1001));
        until_said(&late, "0/2 nodes are available: 2 Insufficient vGPU memory");
        large[0].delete();
        late.wait_for("Succeeded");
        assert_eq!(total_of(&late.logs()), Some(1001));
    });
}
