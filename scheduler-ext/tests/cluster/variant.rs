//! The product installed in another way: one replica of the scheduler, whose clock can be moved, and which places pods that ask by HAMi's
//! names, on a Kubernetes without policies, where the webhook alone says who writes claims.

use kube_harness::product::chart;
use kube_harness::product::forger::Forger;
use kube_harness::product::machine::FILL;
use kube_harness::product::tenant::{CLAIM, total_of, uid};
use kube_harness::{Namespace, busybox, kubectl, wait_until};
use serde_json::{Value, json};

use crate::auditor::audited;
use crate::clock;
use crate::installation::Way;
use crate::ledgers;
use crate::site::{NODES, describe, leader, site_in};
use crate::tenant::{asking, claim, node, until_warned, warned};

/// How HAMi calls the number of devices.
pub(crate) const NUMBER: &str = "nvidia.com/gpu";
const MIB: u32 = 3000;
const CORES: u32 = 30;
/// Begins with which webhook it is.
const REFUSED: &str = ".pods.vgpu.io\" denied the request: annotation nvidia.com/vgpu-claim is the claim that a scheduler gives to a \
    pod: only system:serviceaccount:vgpu-system:vgpu-scheduler may write it; leave it out";

/// As people who have HAMi write it, who name no scheduler.
fn manifest(name: &str, script: &str) -> Value {
    let mut pod = busybox(name, script);
    let limits =
        json!({NUMBER: "1", "nvidia.com/gpumem": MIB.to_string(), "nvidia.com/gpucores": CORES.to_string()});
    pod["spec"]["containers"][0]["resources"] = json!({"limits": limits});
    pod
}

/// Waits until a pod has run on what it asks for.
fn runs(space: &Namespace, name: &str) {
    let wanted = manifest(name, &format!("{FILL} 1"));
    // While there is no replica, the webhook is away, too.
    wait_until("the webhook answers", || space.try_apply(&wanted).ok(), describe);
    let pod = space.pod(name);
    node(&pod);
    pod.wait_for("Succeeded");
    assert_eq!(total_of(&pod.logs()), Some(MIB));
    let claim = claim(&pod.get().expect("it is there")).expect("it has a claim");
    assert_eq!(claim["containers"]["main"][0]["cores"], CORES);
}

#[test]
fn pods_are_placed_by_hamis_names_whatever_time_the_only_replica_and_the_one_after_it_have() {
    let Some(cluster) = site_in(Way::Variant) else { return };
    audited(|| {
        let space = cluster.namespace();
        runs(&space, "first");
        let replica = leader().expect("somebody leads");
        for minutes in [5, -5] {
            clock::set(&replica, minutes);
            runs(&space, if minutes > 0 { "ahead" } else { "behind" });
        }
        let system = ["--namespace", chart::SYSTEM];
        let said = kubectl(&[&system[..], &["logs", &replica.name, "--container=extender"]].concat(), "");
        let said = said.expect("it has a log");
        assert_eq!(said.matches("pods are bound from here").count(), 1, "{said}");
        kubectl(&[&system[..], &["delete", "pod", &replica.name]].concat(), "").expect("it goes");
        runs(&space, "after");
        ledgers::until_right();
    });
}

#[test]
fn who_misspells_one_of_hamis_names_is_told_and_the_names_of_others_are_left_alone() {
    let Some(cluster) = site_in(Way::Variant) else { return };
    let space = cluster.namespace();
    for name in ["nvidia.com/gpumemory", "nvidia.com/gpu-cores", "nvidia.com/priority"] {
        let misspelt = asking("misspelt", &json!({NUMBER: "1", name: "1"}));
        until_warned(&space, &misspelt, name);
        until_warned(&space, &asking("alone", &json!({name: "1"})), name);
    }
    for name in
        ["nvidia.com/gpu.shared", "nvidia.com/gpu-24gb", "nvidia.com/mig-1g.5gb", "nvidia.com/vgpu-mem"]
    {
        assert_eq!(warned(&space, &asking("others", &json!({name: "1"}))), "");
    }
}

#[test]
fn the_webhook_alone_lets_nobody_but_the_scheduler_write_a_claim() {
    let Some(cluster) = site_in(Way::Variant) else { return };
    audited(|| {
        let space = cluster.namespace();
        let forger = Forger::new(&space, REFUSED);
        let given = space.run(&manifest("given", &format!("{FILL} 1; sleep 1000")));
        given.wait_for("Running");
        let copied = given.get().expect("it runs")["metadata"]["annotations"][CLAIM].clone();
        let mut forged = manifest("forged", "true");
        let mut plain = busybox("plain", "true");
        for pod in [&mut forged, &mut plain] {
            pod["metadata"]["annotations"] = json!({CLAIM: copied});
            forger.waits_to_be_refused(pod);
            forger.makes(pod);
        }
        let mut waiting = manifest("waiting", "true");
        waiting["spec"]["schedulerName"] = json!("nobody");
        let waiting = space.run(&waiting);
        let right = copied.as_str().expect("a claim").replace(&uid(&given), &uid(&waiting));
        forger.gives(&waiting, &right, NODES[0].0);
        forger.gives(&given, &right, NODES[0].0);
        forger.takes(&given);
        let said = forger.said(&["annotate", "pod", "given", "a=b"], &Value::Null);
        assert!(said.contains("annotated"), "{said}");
        let ours = ["--as=system:serviceaccount:vgpu-system:vgpu-scheduler", "--as-group=system:masters"];
        let write = ["annotate", "pod", "waiting", &format!("{CLAIM}={right}")];
        space.kubectl(&[&ours[..], &write].concat()).expect("it is the scheduler");
        assert_eq!(total_of(&given.exec(&[FILL, "1"]).expect("it runs")), Some(MIB));
    });
}
