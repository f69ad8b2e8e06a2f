//! What pods go through when they are made: the webhook, asked by a real API server.

use kube_harness::product::machine::FILL;
use kube_harness::product::process::Paused;
use kube_harness::product::tenant::total_of;
use kube_harness::{busybox, wait_until};
use serde_json::json;

use crate::site::{Container, NODES, SCHEDULER, describe, pause, site};
use crate::tenant::{asking, deployment, manifest, until_warned, warned};

#[test]
fn a_pod_that_says_how_much_and_no_more_gets_it() {
    let Some(cluster) = site() else { return };
    let space = cluster.namespace();
    let mut wanted = busybox("brief", &format!("{FILL} 1"));
    wanted["spec"]["containers"][0]["resources"] = json!({"limits": {"nvidia.com/vgpu-memory": "2500"}});
    // The authority is named in the configuration a moment after the first start.
    let made = || space.try_apply(&wanted).ok();
    wait_until("the webhook answers", made, || format!("{:?}\n{}", space.try_apply(&wanted), describe()));
    let pod = space.pod("brief");
    let made = pod.get().expect("it was made");
    assert_eq!(made["spec"]["schedulerName"], SCHEDULER);
    assert_eq!(made["spec"]["containers"][0]["resources"]["limits"]["nvidia.com/vgpu-number"], "1");
    pod.wait_for("Succeeded");
    assert_eq!(total_of(&pod.logs()), Some(2500));
}

#[test]
fn what_nobody_can_have_is_refused_at_once_and_others_are_not_looked_at() {
    let Some(cluster) = site() else { return };
    let space = cluster.namespace();
    let mut greedy = busybox("greedy", "true");
    greedy["spec"]["containers"][0]["resources"] =
        json!({"limits": {"nvidia.com/vgpu-number": "1", "nvidia.com/vgpu-cores": "200"}});
    let said = space.try_apply(&greedy).expect_err("200 % of a card");
    assert!(said.contains("nvidia.com/vgpu-cores") && said.contains("200"), "{said}");
    let plain = space.run(&busybox("plain", "true"));
    plain.wait_for("Succeeded");
    assert_eq!(plain.get().expect("it is there")["spec"]["schedulerName"], "default-scheduler");
}

#[test]
fn who_misspells_a_resource_or_asks_for_nothing_is_told_of_pods_and_workloads() {
    let Some(cluster) = site() else { return };
    let space = cluster.namespace();
    for limits in [
        json!({"nvidia.com/vgpu-mem": "1"}),
        json!({"nvidia.com/vgpu-number": "1", "nvidia.com/vgpu-mem": "1"}),
    ] {
        let misspelt = asking("misspelt", &limits);
        until_warned(&space, &misspelt, "nvidia.com/vgpu-mem");
        until_warned(&space, &deployment("misspelt", 1, misspelt), "nvidia.com/vgpu-mem");
    }
    let nothing = asking("nothing", &json!({"nvidia.com/vgpu-memory": "0"}));
    let said = warned(&space, &nothing);
    assert!(said.contains("nvidia.com/vgpu-memory is 0 and nvidia.com/vgpu-number is not given"), "{said}");
    let of_others = asking(
        "others",
        &json!({"nvidia.com/gpu": "1", "nvidia.com/gpu.shared": "1", "nvidia.com/mig-1g.5gb": "1"}),
    );
    assert_eq!(warned(&space, &of_others), "");
}

#[test]
fn a_pod_without_containers_is_told_so_and_nothing_of_the_webhook() {
    let Some(cluster) = site() else { return };
    let space = cluster.namespace();
    let mut empty = busybox("empty", "true");
    empty["spec"].as_object_mut().expect("it is an object").remove("containers");
    let said = space.try_apply(&empty).expect_err("it has no containers");
    assert!(said.contains("spec.containers: Required value"), "{said}");
}

#[test]
fn while_the_webhook_hangs_only_pods_that_ask_for_slices_cannot_be_made() {
    let Some(cluster) = site() else { return };
    let space = cluster.namespace();
    let steady = space.run(&manifest("steady", "sleep 1000", 1000));
    steady.wait_for("Running");
    let hangs: [Paused; 2] = NODES.map(|(node, _)| pause(node, Container::Extender));
    space.run(&busybox("plain", "true")).wait_for("Succeeded");
    let said = space.try_apply(&manifest("refused", "true", 1000)).expect_err("nobody has looked at it");
    assert!(said.contains("failed calling webhook \"mutate.pods.vgpu.io\""), "{said}");
    space.apply(&asking("another", &json!({"nvidia.com/vgpu-of-another": "1"})));
    space.kubectl(&["label", "pod", "steady", "touched=yes"]).expect("what is there may be changed");
    space.apply(&deployment("later", 1, manifest("later", "sleep 1000", 1000)));
    let is_refused =
        || space.kubectl(&["get", "events"]).is_ok_and(|all| all.contains("failed calling webhook"));
    wait_until("a pod of the Deployment is refused", || is_refused().then_some(()), describe);
    drop(hangs);
    let runs = || space.list("deployments")[0]["status"]["availableReplicas"] == 1;
    wait_until("it is made when the webhook is back", || runs().then_some(()), describe);
    let _ = space.kubectl(&["delete", "deployment", "later", "--timeout=60s"]);
    assert_eq!(steady.get().expect("it is there")["status"]["containerStatuses"][0]["restartCount"], 0);
}
