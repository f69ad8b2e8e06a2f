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

    /// The pods that are there.
    pub fn pods(&self) -> Vec<Pod> {
        let names = self.kubectl(&["get", "pods", "-o", "jsonpath={.items[*].metadata.name}"]);
        let names = names.unwrap_or_else(|error| panic!("{error}"));
        names.split_whitespace().map(|name| self.pod(name)).collect()
    }
}

impl Drop for Namespace {
    fn drop(&mut self) {
        // The cluster goes anyway; this is for those that are kept.
        let _ = kubectl(&["delete", "namespace", &self.name, "--wait=false"], "");
    }
}
