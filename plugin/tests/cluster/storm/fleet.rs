//! The pods: Deployments with containers of every kind, each of which notes again and again what it is told that it has.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use kube_harness::product::machine::FILL;
use kube_harness::{Namespace, busybox, wait_until};
use serde_json::{Value, json};

use super::scheduler::{self, Scheduler};
use crate::tenant::{another, one_device};

/// How many pods there are to be.
pub(super) const PODS: u64 = 50;
/// Deployments with their pods and, of each pod, init containers, sidecars and other containers.
type Kind = (&'static str, u64, &'static [&'static str], &'static [&'static str], &'static [&'static str]);
const KINDS: [Kind; 5] = [
    ("plain", 20, &[], &[], &["main"]),
    ("pair", 10, &[], &[], &["main", "side"]),
    ("prepared", 10, &["first"], &[], &["main"]),
    ("large", 5, &["first", "second"], &[], &["main", "side"]),
    ("attended", 5, &["first"], &["proxy"], &["main"]),
];

/// How long it is waited for, on a machine that others use, too.
const PATIENCE: Duration = Duration::from_secs(600);

/// What one program was told.
#[derive(Clone, Debug)]
pub(super) struct Note {
    pub(super) pod: String,
    pub(super) container: String,
    pub(super) said: String,
}

/// All Deployments, until they are dropped.
pub(super) struct Fleet<'a> {
    space: &'a Namespace,
    folder: PathBuf,
}

impl<'a> Fleet<'a> {
    pub(super) fn launch(space: &'a Namespace) -> Self {
        let folder = PathBuf::from(format!("/run/{}", space.name()));
        fs::create_dir(&folder).unwrap();
        let fleet = Self { space, folder };
        assert_eq!(KINDS.iter().map(|kind| kind.1).sum::<u64>(), PODS);
        for kind in KINDS {
            space.apply(&fleet.deployment(kind));
        }
        fleet
    }

    fn deployment(&self, (name, replicas, inits, sidecars, apps): Kind) -> Value {
        let mut pod = busybox(name, "");
        let mut main = pod["spec"]["containers"][0].clone();
        main["resources"] = one_device();
        main["env"] = json!([{"name": "POD", "valueFrom": {"fieldRef": {"fieldPath": "metadata.uid"}}}]);
        main["volumeMounts"] = json!([{"name": "seen", "mountPath": "/seen"}]);
        let lasting =
            |name: &&str| another(&main, name, &format!("{}; while sleep 20; do note; done", note(name)));
        let sidecar = |name: &&str| {
            let mut container = lasting(name);
            container["restartPolicy"] = json!("Always");
            container
        };
        let first: Vec<Value> = inits.iter().map(|name| another(&main, name, &note(name))).collect();
        let first: Vec<Value> = sidecars.iter().map(sidecar).chain(first).collect();
        pod["spec"]["schedulerName"] = json!("stand-in");
        pod["spec"]["restartPolicy"] = json!("Always");
        pod["spec"]["initContainers"] = json!(first);
        pod["spec"]["containers"] = apps.iter().map(lasting).collect();
        pod["spec"]["volumes"] = json!([{"name": "seen", "hostPath": {"path": self.folder}}]);
        json!({
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": {"name": name},
            "spec": {
                "replicas": replicas,
                "selector": {"matchLabels": {"kind": name}},
                "template": {"metadata": {"labels": {"kind": name}}, "spec": pod["spec"]}
            }
        })
    }

    /// How many of its pods run.
    fn running(&self) -> u64 {
        let deployments = self.space.list("deployments");
        deployments.iter().filter_map(|one| one["status"]["availableReplicas"].as_u64()).sum()
    }

    pub(super) fn wait_until_it_runs(&self) {
        let start = Instant::now();
        while self.running() < PODS {
            let explain = || self.space.kubectl(&["get", "pods", "-o", "wide"]).unwrap_or_else(|error| error);
            assert!(start.elapsed() < PATIENCE, "{} of {PODS} pods run\n{}", self.running(), explain());
            std::thread::sleep(Duration::from_secs(1));
        }
    }

    /// Waits until each container of the pods that are there has looked at its slice at least once.
    pub(super) fn wait_until_all_have_noted(&self, scheduler: &Scheduler<'_>) {
        let silent = || {
            let noted: BTreeSet<_> =
                self.notes().into_iter().map(|note| (note.pod, note.container)).collect();
            let pods = scheduler::pods(self.space);
            let living =
                pods.iter().filter(|pod| pod["status"]["phase"] == "Running").filter_map(scheduler::uid_of);
            let given = scheduler.given();
            let all = living
                .flat_map(|uid| given.containers(&uid).map(|name| (uid.clone(), name)).collect::<Vec<_>>());
            all.filter(|container| !noted.contains(container)).collect::<Vec<_>>()
        };
        let none = || silent().is_empty().then_some(());
        wait_until("all have looked at their slices", none, || format!("{:?}", silent()));
    }

    /// What all containers have noted so far.
    pub(super) fn notes(&self) -> Vec<Note> {
        let text = fs::read_to_string(self.folder.join("all")).unwrap_or_default();
        let note = |line: &str| {
            let mut words = line.splitn(3, ' ').map(str::to_owned);
            Some(Note { pod: words.next()?, container: words.next()?, said: words.next()? })
        };
        text.lines().filter_map(note).collect()
    }
}

impl Drop for Fleet<'_> {
    fn drop(&mut self) {
        // Or else they would replace the pods that the namespace deletes when it goes.
        let _ = self.space.kubectl(&["delete", "deployments", "--all", "--timeout=60s"]);
    }
}

/// Shell that looks at the slice once, and defines how to look again.
fn note(container: &str) -> String {
    format!("note() {{ echo \"$POD {container} $({FILL} 1 2>&1 | head -n 1)\" >>/seen/all; }}; note")
}
