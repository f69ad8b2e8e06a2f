//! Events of the Node, for devices that cannot be given out any more, or again.

use std::convert::Infallible;

use k8s_openapi::api::core::v1::ObjectReference;
use kube::Client;
use kube::runtime::events::{Event, EventType, Recorder, Reporter};
use tokio::sync::watch;
use tracing::warn;

use crate::inventory::census::Census;
use crate::inventory::change::{Change, changes};

/// A note of an event may have 1 kB.
const MOST: usize = 1000;

/// Writes an event of the node `name` for each change of a device, for ever. One that cannot be written is in the log only.
pub async fn follow(client: Client, name: &str, mut census: watch::Receiver<Census>) -> Infallible {
    let reporter = Reporter { controller: "vgpu-node-agent".to_owned(), instance: Some(name.to_owned()) };
    let recorder = Recorder::new(client, reporter);
    // Kubelet names a node so in its own events, and `kubectl describe node` looks for both.
    let node = ObjectReference {
        api_version: Some("v1".to_owned()),
        kind: Some("Node".to_owned()),
        name: Some(name.to_owned()),
        uid: Some(name.to_owned()),
        ..ObjectReference::default()
    };
    let mut before = Vec::new();
    loop {
        let now = census.borrow_and_update().members.clone();
        for event in changes(&before, &now).into_iter().filter_map(event) {
            if let Err(error) = recorder.publish(&event, &node).await {
                warn!(%error, "an event of the node cannot be written");
            }
        }
        before = now;
        // What sends lives as long as the agent.
        let _ = census.changed().await;
    }
}

/// What there is to say; nothing of a device that is as it should be.
fn event(change: Change) -> Option<Event> {
    let (uuid, type_, reason, mut note) = match change {
        Change::New(_) => return None,
        Change::Bad(uuid, fault) => {
            (uuid, EventType::Warning, "GPUUnhealthy", format!("{uuid} cannot be given out: {fault}"))
        }
        Change::Good(uuid) => {
            (uuid, EventType::Normal, "GPURecovered", format!("{uuid} can be given out again"))
        }
    };
    note.truncate(note.floor_char_boundary(MOST));
    let (reason, action) = (reason.to_owned(), "Inspect".to_owned());
    // Events that agree in all but their note are counted as one: this tells devices apart.
    let device = ObjectReference {
        kind: Some("GPU".to_owned()),
        name: Some(uuid.to_string()),
        ..ObjectReference::default()
    };
    Some(Event { type_, reason, note: Some(note), action, secondary: Some(device) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use contract::Uuid;

    #[test]
    fn what_is_as_it_should_be_is_no_event_and_a_long_reason_fits_into_one() {
        let uuid = Uuid([1; 16]);
        assert!(event(Change::New(uuid)).is_none());
        let good = event(Change::Good(uuid)).unwrap();
        assert_eq!(good.note, Some(format!("{uuid} can be given out again")));
        assert_eq!(good.secondary.unwrap().name, Some(uuid.to_string()));
        let bad = event(Change::Bad(uuid, "é".repeat(600))).unwrap();
        assert_eq!((bad.reason.as_str(), bad.note.unwrap().len()), ("GPUUnhealthy", MOST));
    }
}
