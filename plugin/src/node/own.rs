//! This node as the API server has it.

use k8s_openapi::api::core::v1::Node;
use kube::Client;
use kube::runtime::watcher;
use tokio::sync::watch as channel;

use crate::follow::follow;

/// What is known of this node; `None` before it has been read once.
#[derive(Debug, Default)]
pub struct OwnNode(channel::Sender<Option<Node>>);

impl OwnNode {
    /// The value of one of its labels.
    #[must_use]
    pub fn label(&self, key: &str) -> Option<String> {
        self.0.borrow().as_ref()?.metadata.labels.as_ref()?.get(key).cloned()
    }

    /// Tells of every change.
    #[must_use]
    pub fn subscribe(&self) -> channel::Receiver<Option<Node>> {
        self.0.subscribe()
    }

    /// Takes note of what the API server tells.
    pub fn note(&self, event: watcher::Event<Node>) {
        match event {
            watcher::Event::Apply(node) | watcher::Event::InitApply(node) => {
                self.0.send_replace(Some(node));
            }
            // A node that is removed while its agent runs comes back with its kubelet.
            watcher::Event::Init | watcher::Event::InitDone | watcher::Event::Delete(_) => {}
        }
    }
}

/// Keeps `own` as the node `name` is, for ever; while the API server is away, as it was.
pub async fn watch(client: Client, name: &str, own: &OwnNode) {
    follow(client, &format!("metadata.name={name}"), "this node is", |event| own.note(event)).await;
}
