//! Somebody who may do anything but write claims, and tries to.

use super::tenant::CLAIM;
use crate::kubectl::kubectl;
use crate::namespace::Namespace;
use crate::pod::Pod;
use crate::wait::wait_until;
use serde_json::{Value, json};

const SOMEBODY: [&str; 2] = ["--as=somebody", "--as-group=system:masters"];

/// Somebody with all rights in a namespace, who is no scheduler.
#[derive(Clone, Copy)]
pub struct Forger<'a> {
    space: &'a Namespace,
    refusal: &'a str,
}

impl<'a> Forger<'a> {
    /// One whose attempts have to be answered with `refusal`.
    pub fn new(space: &'a Namespace, refusal: &'a str) -> Self {
        Self { space, refusal }
    }

    /// What the API server says when this is done.
    pub fn said(&self, words: &[&str], input: &Value) -> String {
        let place = ["--namespace", self.space.name()];
        let input = if input.is_null() { String::new() } else { input.to_string() };
        kubectl(&[&SOMEBODY[..], &place, words].concat(), &input).unwrap_or_else(|error| error)
    }

    /// Waits until who makes this pod, which has a claim, is refused. What refuses is in force a moment after it was made.
    ///
    /// # Panics
    /// It never is.
    pub fn waits_to_be_refused(&self, pod: &Value) {
        let said = || self.said(&["apply", "--filename", "-", "--dry-run=server"], pod);
        let is_refused = || said().contains(self.refusal).then_some(());
        wait_until("a pod with a claim is refused", is_refused, said);
    }

    /// Makes this pod, which has a claim.
    ///
    /// # Panics
    /// It can.
    pub fn makes(&self, pod: &Value) {
        self.is_refused(&["apply", "--filename", "-"], pod);
    }

    /// Gives a pod a claim that it has not, or another one, in each way that there is, also by binding it to `node`.
    ///
    /// # Panics
    /// It can.
    pub fn gives(&self, pod: &Pod, claim: &str, node: &str) {
        let annotations = json!({CLAIM: claim});
        let patch = json!({"metadata": {"annotations": annotations}}).to_string();
        let patch = ["patch", "pod", pod.name(), "--type=merge", "--patch", &patch];
        self.is_refused(&patch, &Value::Null);
        self.is_refused(&[&patch[..], &["--subresource=status"]].concat(), &Value::Null);
        // The API server itself lets nobody change annotations through these.
        for part in ["--subresource=ephemeralcontainers", "--subresource=resize"] {
            self.said(&[&patch[..], &[part]].concat(), &Value::Null);
            let has = pod.get().expect("the pod is there")["metadata"]["annotations"][CLAIM].clone();
            assert_ne!(has, claim, "{part}");
        }
        let binding = json!({
            "apiVersion": "v1",
            "kind": "Binding",
            "metadata": {"name": pod.name(), "annotations": annotations},
            "target": {"apiVersion": "v1", "kind": "Node", "name": node}
        });
        for part in [&format!("pods/{}/binding", pod.name()), "bindings"] {
            let path = format!("/api/v1/namespaces/{}/{part}", self.space.name());
            self.is_refused(&["create", "--raw", &path, "--filename", "-"], &binding);
        }
    }

    /// Takes the claim away that a pod has.
    ///
    /// # Panics
    /// It can.
    pub fn takes(&self, pod: &Pod) {
        self.is_refused(&["annotate", "pod", pod.name(), &format!("{CLAIM}-")], &Value::Null);
    }

    fn is_refused(&self, words: &[&str], input: &Value) {
        let said = self.said(words, input);
        assert!(said.contains(self.refusal), "{words:?}: {said}");
    }
}
