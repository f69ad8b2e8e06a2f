//! More important pods come in the place of others, through the real kube-scheduler.

use kube_harness::product::agent::offered;
use kube_harness::product::machine::ALL;
use kube_harness::{Namespace, Pod, kubectl, wait_until};
use serde_json::{Value, json};

use crate::auditor::audited;
use crate::site::{FEW, FEW_SPLIT, NODES, describe, site};
use crate::tenant::{claim, manifest, node};

/// The label with which a node has settings of its own.
const LABEL: &str = "nvidia.com/vgpu-config";
const HALF: u32 = ALL / 2;
const CLASSES: [(&str, i32); 2] = [("vgpu-test-low", 100), ("vgpu-test-high", 1000)];

/// Nodes whose cards few containers share, so that kube-scheduler, which counts containers, sees that they are full.
struct FewSlots;

impl FewSlots {
    fn set() -> Self {
        label(&format!("{LABEL}={FEW}"));
        Self::until(|count| count == FEW_SPLIT * 2);
        Self
    }

    fn until(is_right: impl Fn(u32) -> bool) {
        let are_right = || NODES.iter().all(|(node, _)| offered(node).is_some_and(&is_right)).then_some(());
        wait_until("kubelets know how many may share a card", are_right, describe);
    }
}

impl Drop for FewSlots {
    fn drop(&mut self) {
        label(&format!("{LABEL}-"));
        if !std::thread::panicking() {
            Self::until(|count| count > FEW_SPLIT * 2);
        }
    }
}

fn label(label: &str) {
    let said = kubectl(&["label", "nodes", "--all", "--overwrite", label], "");
    assert!(said.is_ok() || std::thread::panicking(), "{said:?}");
}

fn run(space: &Namespace, name: &str, mib: u32, class: usize) -> Pod {
    let mut pod = manifest(name, "sleep 1000", mib);
    pod["spec"]["priorityClassName"] = json!(CLASSES[class].0);
    space.run(&pod)
}

/// The cards of a pod.
fn cards(pod: &Pod) -> Vec<String> {
    let parts = pod.get().and_then(|pod| claim(&pod)).unwrap_or_default()["containers"]["main"].clone();
    parts
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|part| Some(part["uuid"].as_str()?.to_owned()))
        .collect()
}

/// Whether a pod is gone, or on its way out: it holds nothing any more from when its containers have ended, which is before it is gone.
fn has_to_go(pod: &Pod) -> bool {
    pod.get().is_none_or(|pod| !pod["metadata"]["deletionTimestamp"].is_null())
}

#[test]
fn as_few_pods_go_as_make_room_for_a_more_important_one_which_gets_it() {
    let Some(cluster) = site() else { return };
    let class = |(name, value): &(&str, i32)| json!({"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": name}, "value": value});
    let classes: Vec<Value> = CLASSES.iter().map(class).collect();
    let classes = json!({"apiVersion": "v1", "kind": "List", "items": classes});
    kubectl(&["apply", "--filename", "-"], &classes.to_string()).expect("priorities");
    let few = FewSlots::set();
    audited(|| {
        let space = cluster.namespace();
        let low: Vec<(Pod, Vec<String>)> = (0..8)
            .map(|number| run(&space, &format!("low-{number}"), HALF, 0))
            .map(|pod| {
                node(&pod);
                let cards = cards(&pod);
                (pod, cards)
            })
            .collect();
        // It would fit where only one of the others has gone.
        let rival = run(&space, "rival", HALF, 0);
        let high = run(&space, "high", ALL, 1);
        node(&high);
        let (card, gone) = (cards(&high), low.iter().filter(|(pod, _)| has_to_go(pod)).collect::<Vec<_>>());
        assert!(gone.len() == 2 && gone.iter().all(|(_, cards)| *cards == card), "{card:?}: {gone:?}");
        high.wait_for("Running");
        assert!(rival.get().expect("it waits")["spec"]["nodeName"].is_null(), "{}", rival.describe());
    });
    drop(few);
}
