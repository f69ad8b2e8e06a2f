//! The pods.

use std::time::{Duration, Instant};

use kube_harness::product::machine::FILL;
use kube_harness::product::tenant::{another, memory, total_of};
use kube_harness::{Namespace, wait_until};
use serde_json::{Value, json};

use crate::site::describe;
use crate::tenant::{claim, deployment, manifest};

/// How many pods of Deployments there are to be.
pub(super) const PODS: u64 = 23;

/// A Deployment with so many pods; of each pod the init containers, sidecars and other containers; MiB of each container.
struct Kind {
    name: &'static str,
    pods: u64,
    inits: &'static [&'static str],
    sidecars: &'static [&'static str],
    apps: &'static [&'static str],
    mib: u32,
}

/// Together 230,000 MiB at a time, of 326,236 on four cards, and no more than 14,000 in a piece: as long as both nodes are there, some
/// card has room for each, wherever the others are.
const KINDS: [Kind; 4] = [
    Kind { name: "plain", pods: 10, inits: &[], sidecars: &[], apps: &["main"], mib: 9000 },
    Kind { name: "pair", pods: 5, inits: &[], sidecars: &[], apps: &["main", "side"], mib: 7000 },
    Kind { name: "prepared", pods: 5, inits: &["first"], sidecars: &[], apps: &["main"], mib: 8000 },
    Kind { name: "attended", pods: 3, inits: &["first"], sidecars: &["proxy"], apps: &["main"], mib: 5000 },
];
/// The job's pods, four at a time.
const RUNS: u64 = 12;
const AT_ONCE: u64 = 4;
const RUN_MIB: u32 = 6000;

/// How long it is waited for, on a machine that others use, too.
const PATIENCE: Duration = Duration::from_secs(300);

/// All of them, until they are dropped.
pub(super) struct Fleet<'a> {
    space: &'a Namespace,
}

impl<'a> Fleet<'a> {
    pub(super) fn launch(space: &'a Namespace) -> Self {
        assert_eq!(KINDS.iter().map(|kind| kind.pods).sum::<u64>(), PODS);
        KINDS.iter().for_each(|kind| space.apply(&kind.deployment()));
        space.apply(&job());
        Self { space }
    }

    /// How many pods of Deployments run, and how many of the job have done what they had to.
    fn progress(&self) -> (u64, u64) {
        let sum = |kind: &str, field: &str| {
            let all = self.space.list(kind);
            all.iter().filter_map(|one| one["status"][field].as_u64()).sum::<u64>()
        };
        (sum("deployments", "availableReplicas"), sum("jobs", "succeeded"))
    }

    pub(super) fn wait_until_it_runs(&self) {
        let start = Instant::now();
        while self.progress() != (PODS, RUNS) {
            let pods = || self.space.kubectl(&["describe", "pods"]).unwrap_or_else(|error| error);
            let is_late = start.elapsed() > PATIENCE;
            assert!(!is_late, "{:?} of {:?}\n{}\n{}", self.progress(), (PODS, RUNS), pods(), describe());
            std::thread::sleep(Duration::from_secs(1));
        }
    }

    /// Compares what the programs that run were told with what their pods' claims say; says how many there were.
    pub(super) fn looks(&self) -> u32 {
        let pods = self.space.list("pods");
        let running = pods.iter().filter(|pod| pod["status"]["phase"] == "Running");
        let lives = running.filter(|pod| pod["metadata"]["deletionTimestamp"].is_null());
        lives.map(|pod| self.looks_of(pod)).sum()
    }

    fn looks_of(&self, pod: &Value) -> u32 {
        let name = pod["metadata"]["name"].as_str().unwrap_or_default();
        let claim = claim(pod).unwrap_or_default();
        let containers = claim["containers"].as_object().cloned().unwrap_or_default();
        for (container, parts) in &containers {
            let told = || total_of(&self.space.pod(name).logs_of(container));
            let told = wait_until("it has looked", told, || self.space.pod(name).describe());
            assert_eq!(json!(told), parts[0]["memoryMiB"], "{container} of {name}");
        }
        u32::try_from(containers.len()).unwrap_or(0)
    }
}

impl Drop for Fleet<'_> {
    fn drop(&mut self) {
        // Or else they would replace the pods that the namespace deletes when it goes.
        let _ = self.space.kubectl(&["delete", "deployments,jobs", "--all", "--timeout=60s"]);
    }
}

impl Kind {
    fn deployment(&self) -> Value {
        let mut pod = manifest(self.name, "", self.mib);
        let main = pod["spec"]["containers"][0].clone();
        let lasting = |name: &&str| another(&main, name, &format!("{FILL} 1; sleep 1000"));
        let sidecar = |name: &&str| {
            let mut container = lasting(name);
            container["restartPolicy"] = json!("Always");
            container
        };
        let first = self.inits.iter().map(|name| another(&main, name, &format!("{FILL} 1")));
        pod["spec"]["initContainers"] = self.sidecars.iter().map(sidecar).chain(first).collect();
        pod["spec"]["containers"] = self.apps.iter().map(lasting).collect();
        deployment(self.name, self.pods, pod)
    }
}

fn job() -> Value {
    let mut pod = manifest("job", &format!("{FILL} 1; sleep 2"), RUN_MIB);
    pod["spec"]["containers"][0]["resources"] = memory(RUN_MIB);
    json!({
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": "job"},
        "spec": {
            "completions": RUNS,
            "parallelism": AT_ONCE,
            // Pods that were deleted, drained, or came where no agent was: each is made anew.
            "backoffLimit": 1000,
            "template": {"spec": pod["spec"]}
        }
    })
}
