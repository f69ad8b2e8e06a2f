//! Events of pods, for what kubelet does not say about them.

use k8s_openapi::api::core::v1::ObjectReference;
use kube::Client;
use kube::runtime::events::{Event, EventType, Recorder, Reporter};

use super::pod::PodFacts;

/// A note of an event may have 1 kB.
const MOST: usize = 1000;

/// Writes events.
#[derive(Clone)]
pub struct Notices {
    recorder: Recorder,
}

impl Notices {
    /// In the name of this agent on `node`.
    #[must_use]
    pub fn new(client: Client, node: &str) -> Self {
        let reporter = Reporter { controller: "vgpu-node-agent".to_owned(), instance: Some(node.to_owned()) };
        Self { recorder: Recorder::new(client, reporter) }
    }

    /// Says that the claim of `pod` was changed after it was accepted, and what is wrong with it.
    pub async fn claim_changed(&self, pod: &PodFacts, fault: &str) {
        let mut note = format!(
            "the pod's claim was changed after the pod was bound and is refused, the accepted one rules: {fault}"
        );
        note.truncate(note.floor_char_boundary(MOST));
        let event = Event {
            type_: EventType::Warning,
            reason: "ClaimChanged".to_owned(),
            note: Some(note),
            action: "Refuse".to_owned(),
            secondary: None,
        };
        let reference = ObjectReference {
            api_version: Some("v1".to_owned()),
            kind: Some("Pod".to_owned()),
            namespace: Some(pod.namespace.clone()),
            name: Some(pod.name.clone()),
            uid: Some(pod.uid.to_string()),
            ..ObjectReference::default()
        };
        if let Err(error) = self.recorder.publish(&event, &reference).await {
            tracing::warn!(%error, pod = %pod.uid, fault, "a changed claim cannot be made known by an event");
        }
    }
}
