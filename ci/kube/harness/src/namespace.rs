//! A namespace of a test.

use crate::kubectl::kubectl;
use crate::pod::Pod;
use crate::wait::wait_until;
use serde_json::Value;
use std::sync::atomic::{AtomicU32, Ordering};

/// How many this process has made.
static MADE: AtomicU32 = AtomicU32::new(0);

/// A namespace of one test, with everything in it.
pub struct Namespace {
    name: String,
}

impl Namespace {
    pub(crate) fn new() -> Self {
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        let space = Self { name: format!("test-{}-{number}", std::process::id()) };
        kubectl(&["create", "namespace", &space.name], "").unwrap_or_else(|error| panic!("{error}"));
        // Before it is there no pod is accepted.
        let account = || space.kubectl(&["get", "serviceaccount", "default"]).ok();
        wait_until("the namespace has a service account", account, || format!("in {}", space.name));
        space
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// kubectl, in this namespace.
    ///
    /// # Errors
    /// What it said, when it failed.
    pub fn kubectl(&self, arguments: &[&str]) -> Result<String, String> {
        kubectl(&[&["--namespace", &self.name], arguments].concat(), "")
    }

    /// Makes what a manifest says, or changes what is there.
    ///
    /// # Panics
    /// The API server refuses.
    pub fn apply(&self, manifest: &Value) {
        self.try_apply(manifest).unwrap_or_else(|error| panic!("{error}"));
    }

    /// As [`apply`](Self::apply), for what is to be refused.
    ///
    /// # Errors
    /// What the API server said.
    pub fn try_apply(&self, manifest: &Value) -> Result<(), String> {
        kubectl(&["--namespace", &self.name, "apply", "--filename", "-"], &manifest.to_string()).map(drop)
    }

    /// Applies the manifest of a pod.
    pub fn run(&self, manifest: &Value) -> Pod {
        self.apply(manifest);
        let name = manifest["metadata"]["name"].as_str().expect("a pod has a name");
        self.pod(name)
    }

    /// The pod of this name, which may not be there yet.
    pub fn pod(&self, name: &str) -> Pod {
        Pod::new(&self.name, name)
    }

    /// All objects of a kind, such as `pods`, in one question.
    ///
    /// # Panics
    /// The API server does not answer, or does not know the kind.
    pub fn list(&self, kind: &str) -> Vec<Value> {
        let text = self.kubectl(&["get", kind, "-o", "json"]).unwrap_or_else(|error| panic!("{error}"));
        let list: Value = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error} in {text}"));
        list["items"].as_array().cloned().unwrap_or_default()
    }

    /// The pods that are there.
    pub fn pods(&self) -> Vec<Pod> {
        self.list("pods").iter().filter_map(|pod| Some(self.pod(pod["metadata"]["name"].as_str()?))).collect()
    }
}

impl Drop for Namespace {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            // The next test may want what they hold of the node.
            let _ = self.kubectl(&["delete", "pods", "--all", "--timeout=60s"]);
        }
        // The cluster goes anyway; this is for those that are kept.
        let _ = kubectl(&["delete", "namespace", &self.name, "--wait=false"], "");
    }
}
