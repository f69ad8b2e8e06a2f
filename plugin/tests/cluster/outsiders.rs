//! Pods that go round the scheduler, or the walls around a container.

use std::fs;
use std::path::PathBuf;

use kube_harness::product::machine::{ALL, FILL};
use kube_harness::{Cluster, Namespace, Pod, wait_until};
use serde_json::{Value, json};

use crate::agent::{Agent, NODE};
use crate::tenant::{bind, claim, manifest, run, total_of, uid};

/// Where kubelet looks for static pods.
const STATIC: &str = "/etc/kubernetes/manifests";
const NO_CLAIM: &str = "the pod has no claim (annotation nvidia.com/vgpu-claim)";

/// Waits for an event that says `reason`, and sees to it that no container has been created.
fn is_refused(pod: &Pod, reason: &str) {
    let is_said = || pod.events().iter().any(|event| event.contains(reason));
    pod.wait_until(&format!("an event says: {reason}"), |_| is_said());
    let created = &pod.get().unwrap()["status"]["containerStatuses"][0]["containerID"];
    assert!(created.is_null(), "{}: {created}", pod.name());
}

/// Looks at its slice, and lasts.
fn looking(name: &str) -> Value {
    manifest(name, &format!("{FILL} 1; sleep 1000"))
}

#[test]
fn who_goes_round_the_scheduler_does_not_start_and_an_event_says_why() {
    let Some(cluster) = Cluster::alone() else { return };
    let _agent = Agent::start();
    let space = cluster.namespace();
    let mut placed = looking("placed");
    placed["spec"]["nodeName"] = json!(NODE);
    let mut other = looking("other");
    other["spec"]["schedulerName"] = json!("default-scheduler");
    for pod in [placed, other] {
        is_refused(&space.run(&pod), NO_CLAIM);
    }
    // kubectl leaves the annotations out of the copy.
    let original = run(&space, &looking("original"), &[("main", 1000)]);
    original.wait_for("Running");
    let copy = ["debug", "original", "--copy-to=copy", "--same-node", "--container=main", "--", "true"];
    space.kubectl(&copy).unwrap();
    is_refused(&space.pod("copy"), NO_CLAIM);
}

#[test]
fn a_pod_of_a_daemon_set_starts_if_the_scheduler_that_gives_slices_binds_it() {
    let Some(cluster) = Cluster::alone() else { return };
    let _agent = Agent::start();
    let space = cluster.namespace();
    let daemon = |name: &str, scheduler: &str| {
        let mut template = json!({"metadata": {"labels": {"daemon": name}}, "spec": looking(name)["spec"]});
        template["spec"]["schedulerName"] = json!(scheduler);
        template["spec"]["restartPolicy"] = json!("Always");
        let spec = json!({"selector": {"matchLabels": {"daemon": name}}, "template": template});
        space.apply(
            &json!({"apiVersion": "apps/v1", "kind": "DaemonSet", "metadata": {"name": name}, "spec": spec}),
        );
        let is_of = |pod: &Pod| pod.name().starts_with(name);
        wait_until("there is a pod", || space.pods().into_iter().find(is_of), || describe(&space))
    };
    is_refused(&daemon("round", "default-scheduler"), NO_CLAIM);
    let pod = daemon("through", "stand-in");
    bind(&space, &pod, Some(&claim(&uid(&pod), &[("main", 1200)])));
    pod.wait_for("Running");
    pod.wait_until("it has said what it sees", |_| total_of(&pod.logs()).is_some());
    assert_eq!(total_of(&pod.logs()), Some(1200));
    // Or else they would come back when the namespace goes.
    space.kubectl(&["delete", "daemonsets", "--all", "--timeout=60s"]).unwrap();
}

fn describe(space: &Namespace) -> String {
    space.kubectl(&["get", "all"]).unwrap_or_else(|error| error)
}

/// A manifest in kubelet's folder, until it is dropped.
struct Manifest(PathBuf);

impl Manifest {
    fn new(pod: &Value) -> Self {
        fs::create_dir_all(STATIC).unwrap();
        let path = PathBuf::from(format!("{STATIC}/vgpu-test.json"));
        fs::write(&path, pod.to_string()).unwrap();
        Self(path)
    }
}

impl Drop for Manifest {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

#[test]
fn a_static_pod_does_not_start_and_an_event_says_why() {
    let Some(cluster) = Cluster::alone() else { return };
    let _agent = Agent::start();
    let space = cluster.namespace();
    let mut wanted = looking("still");
    wanted["metadata"]["namespace"] = json!(space.name());
    let manifest = Manifest::new(&wanted);
    let pod = space.pod(&format!("still-{NODE}"));
    pod.wait_until("kubelet has made it known", |_| true);
    is_refused(&pod, "is not known yet: the API server has not told of it, as it never does of static pods");
    drop(manifest);
    wait_until("it is gone", || pod.get().is_none().then_some(()), || pod.describe());
}

/// What a pod was told, of each time that it looked.
fn told(pod: &Pod) -> Vec<u32> {
    pod.logs().lines().filter_map(total_of).collect()
}

#[test]
fn a_privileged_container_has_its_slice_and_can_leave_it() {
    let Some(cluster) = Cluster::alone() else { return };
    let _agent = Agent::start();
    let space = cluster.namespace();
    let mut wanted = manifest("mighty", &format!("{FILL} 1; umount /etc/ld.so.preload; {FILL} 1"));
    wanted["spec"]["containers"][0]["securityContext"] = json!({"privileged": true});
    let pod = run(&space, &wanted, &[("main", 2000)]);
    pod.wait_for("Succeeded");
    let told = told(&pod);
    assert_eq!((told.len(), told[0]), (2, 2000));
    // CUDA tells a little less than there is.
    assert!(told[1] > ALL - 1000, "{told:?}");
}

/// Processes that are known by other numbers than in most containers, and one that is killed.
#[test]
fn a_container_with_the_nodes_processes_has_its_slice_and_what_it_was_killed_with_is_back() {
    let Some(cluster) = Cluster::alone() else { return };
    let _agent = Agent::start();
    let space = cluster.namespace();
    let killed = format!("{FILL} 1500 sh -c 'echo holds; kill -9 $PPID; sleep 1'");
    let mut wanted = manifest("watcher", &format!("{FILL} 1; {killed}; {FILL} 1500"));
    wanted["spec"]["hostPID"] = json!(true);
    wanted["spec"]["hostIPC"] = json!(true);
    wanted["spec"]["hostNetwork"] = json!(true);
    let pod = run(&space, &wanted, &[("main", 2000)]);
    pod.wait_for("Succeeded");
    assert_eq!(told(&pod), [2000, 2000, 2000], "{}", pod.logs());
    assert!(pod.logs().trim_end().ends_with("allocated 1500 MiB, all that was asked for"), "{}", pod.logs());
}
