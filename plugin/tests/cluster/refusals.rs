//! A claim that is not right: the container does not start, an event says why, and all is well once it is.

use kube_harness::Cluster;
use kube_harness::product::machine::{ALL, FILL};

use crate::agent::Agent;
use crate::tenant::{CLAIM, bind, claim, manifest, run, total_of, uid};

#[test]
fn what_is_wrong_with_a_claim_is_an_event_and_a_right_one_starts_the_container() {
    let Some(cluster) = Cluster::alone() else { return };
    let _agent = Agent::start();
    let space = cluster.namespace();
    let cases = [
        ("missing", None, "the pod has no claim (annotation nvidia.com/vgpu-claim)"),
        ("malformed", Some("8Gi".to_owned()), "annotation nvidia.com/vgpu-claim: it is not JSON"),
        ("copied", Some(claim("another-pod", &[("main", 1)])), "the claim is of pod another-pod"),
        ("large", Some(String::new()), "the claim is for 81560 MiB, other pods have 0 MiB, of 81559 MiB"),
    ];
    let pods: Vec<_> = cases
        .iter()
        .map(|(name, written, _)| {
            let pod = space.run(&manifest(name, &format!("{FILL} 1")));
            let large = || claim(&uid(&pod), &[("main", ALL + 1)]);
            let written = written.clone().map(|text| if text.is_empty() { large() } else { text });
            bind(&space, &pod, written.as_deref());
            pod
        })
        .collect();
    for ((name, _, reason), pod) in cases.iter().zip(&pods) {
        let is_said = || pod.events().iter().any(|event| event.contains(reason));
        pod.wait_until(&format!("{name}: an event says: {reason}"), |_| is_said());
        let started = &pod.get().unwrap()["status"]["containerStatuses"][0]["containerID"];
        assert!(started.is_null(), "{started}");
        let right = format!("{CLAIM}={}", claim(&uid(pod), &[("main", 1234)]));
        space.kubectl(&["annotate", "--overwrite", "pod", pod.name(), &right]).unwrap();
    }
    for pod in &pods {
        pod.wait_for("Succeeded");
        assert_eq!(total_of(&pod.logs()), Some(1234), "{}", pod.name());
    }
}

#[test]
fn a_claim_for_what_others_have_waits_until_they_are_gone() {
    let Some(cluster) = Cluster::alone() else { return };
    let _agent = Agent::start();
    let space = cluster.namespace();
    let first = run(&space, &manifest("first", "sleep 1000"), &[("main", ALL - 1000)]);
    first.wait_for("Running");
    let second = run(&space, &manifest("second", &format!("{FILL} 1")), &[("main", 1001)]);
    let reason = "the claim is for 1001 MiB, other pods have 80559 MiB, of 81559 MiB";
    second.wait_until(reason, |_| second.events().iter().any(|event| event.contains(reason)));
    first.delete();
    second.wait_for("Succeeded");
    assert_eq!(total_of(&second.logs()), Some(1001));
}

/// The agent has no right to a file only because it is root's.
#[test]
fn a_pod_that_took_its_account_from_everybody_held_its_slice_for_ever() {
    let Some(cluster) = Cluster::alone() else { return };
    let _agent = Agent::start();
    let space = cluster.namespace();
    let script = "chmod 0 /etc/vgpu/region && chown 12:12 /etc/vgpu/region && echo taken; sleep 1000";
    let first = run(&space, &manifest("first", script), &[("main", ALL - 1000)]);
    first.wait_for("Running");
    first.wait_until("it has taken its account", |_| first.logs().contains("taken"));
    first.delete();
    let second = run(&space, &manifest("second", &format!("{FILL} 1")), &[("main", 2000)]);
    second.wait_for("Succeeded");
    assert_eq!(total_of(&second.logs()), Some(2000));
}
