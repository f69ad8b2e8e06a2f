//! A pod of a test.

use crate::kubectl::kubectl;
use crate::wait::wait_until;
use serde_json::Value;

/// A pod, by its name; it may not be there yet, or any more.
#[derive(Clone, Debug)]
pub struct Pod {
    namespace: String,
    name: String,
}

impl Pod {
    pub(crate) fn new(namespace: &str, name: &str) -> Self {
        Self { namespace: namespace.to_owned(), name: name.to_owned() }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What the API server knows of it, while it is there.
    pub fn get(&self) -> Option<Value> {
        serde_json::from_str(&self.kubectl(&["get", "pod", &self.name, "-o", "json"]).ok()?).ok()
    }

    /// `Pending`, `Running`, `Succeeded`, `Failed`; none while it is not there.
    pub fn phase(&self) -> Option<String> {
        Some(self.get()?["status"]["phase"].as_str()?.to_owned())
    }

    /// Waits for a [phase](Self::phase).
    ///
    /// # Panics
    /// It does not come, with what is known about the pod.
    pub fn wait_for(&self, phase: &str) {
        let what = format!("{} is {phase}", self.name);
        // A pod that has ended changes no more.
        let has_ended = |is: &str| ["Succeeded", "Failed"].contains(&is);
        let is =
            wait_until(&what, || self.phase().filter(|is| is == phase || has_ended(is)), || self.describe());
        assert_eq!(is, phase, "{}", self.describe());
    }

    /// Waits until it is as `expected` says, and returns it.
    ///
    /// # Panics
    /// It never is, with what is known about the pod.
    pub fn wait_until(&self, what: &str, expected: impl Fn(&Value) -> bool) -> Value {
        wait_until(what, || self.get().filter(&expected), || self.describe())
    }

    /// What its container wrote; the only one or, of several, the first.
    pub fn logs(&self) -> String {
        self.must(&["logs", &self.name])
    }

    /// What one of its containers wrote.
    pub fn logs_of(&self, container: &str) -> String {
        self.must(&["logs", &self.name, "--container", container])
    }

    /// Runs a program in its container, and returns what that wrote.
    ///
    /// # Errors
    /// What kubectl and the program said, when it failed.
    pub fn exec(&self, words: &[&str]) -> Result<String, String> {
        self.kubectl(&[&["exec", &self.name, "--"], words].concat())
    }

    /// As [`exec`](Self::exec), in one of several containers.
    ///
    /// # Errors
    /// What kubectl and the program said, when it failed.
    pub fn exec_in(&self, container: &str, words: &[&str]) -> Result<String, String> {
        self.kubectl(&[&["exec", &self.name, "--container", container, "--"], words].concat())
    }

    /// The messages of its events, oldest first.
    pub fn events(&self) -> Vec<String> {
        let about = format!("involvedObject.name={}", self.name);
        let text = self.must(&["get", "events", "--field-selector", &about, "-o", "json"]);
        let list: Value = serde_json::from_str(&text).unwrap_or_default();
        let events = list["items"].as_array().cloned().unwrap_or_default();
        events.iter().filter_map(|event| Some(event["message"].as_str()?.to_owned())).collect()
    }

    /// Deletes it, and returns when it is gone.
    pub fn delete(&self) {
        self.must(&["delete", "pod", &self.name, "--wait", "--timeout=60s"]);
    }

    /// What people look at when it is not as it should be.
    pub fn describe(&self) -> String {
        self.kubectl(&["describe", "pod", &self.name]).unwrap_or_else(|error| error)
    }

    fn must(&self, arguments: &[&str]) -> String {
        self.kubectl(arguments).unwrap_or_else(|error| panic!("{error}\n{}", self.describe()))
    }

    fn kubectl(&self, arguments: &[&str]) -> Result<String, String> {
        kubectl(&[&["--namespace", &self.namespace], arguments].concat(), "")
    }
}
