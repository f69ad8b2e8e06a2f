//! Pods that cannot start on this node are evicted, so that whoever made them makes them anew for another one.

mod choose;

use std::convert::Infallible;
use std::time::{Duration, Instant};

use k8s_openapi::api::core::v1::Pod;
use k8s_openapi::api::policy::v1::Eviction;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{DeleteOptions, Preconditions};
use kube::api::{ListParams, ObjectMeta, PostParams};
use kube::runtime::events::{Event, EventType, Recorder, Reporter};
use kube::{Api, Client, Resource};
use tokio::time::sleep;
use tracing::{info, warn};

use crate::settings::gates::{Gate, Gates};
use choose::{Chooser, Stuck};

/// Between two looks. One pod is evicted at each of them at the most.
const PAUSE: Duration = Duration::from_secs(15);

/// A note of an event may have 1 kB.
const MOST: usize = 1000;

/// Evicts pods of `node` that ask for `resource` and cannot start here, for ever, if their gate is open.
pub async fn follow(client: &Client, node: &str, resource: &str, gates: &Gates) -> Infallible {
    if !gates.has(Gate::Reschedule) {
        std::future::pending::<()>().await;
    }
    let reporter = Reporter { controller: "vgpu-node-agent".to_owned(), instance: Some(node.to_owned()) };
    let recorder = Recorder::new(client.clone(), reporter);
    // From what the API server has in memory: a list that is a little old costs a round, since an eviction names the pod's uid.
    let here = ListParams::default().fields(&format!("spec.nodeName={node}")).match_any();
    let (start, mut chooser) = (Instant::now(), Chooser::new(resource));
    loop {
        sleep(PAUSE).await;
        let pods = match Api::<Pod>::all(client.clone()).list(&here).await {
            Ok(pods) => pods.items,
            Err(error) => {
                warn!(%error, "the pods of this node cannot be listed");
                continue;
            }
        };
        if let Some(stuck) = chooser.choose(&pods, start.elapsed()) {
            move_on(client, &recorder, &stuck).await;
        }
    }
}

/// Says so in an event, and evicts the pod. A budget for disruptions may stand against it; then it is tried again later.
async fn move_on(client: &Client, recorder: &Recorder, stuck: &Stuck<'_>) {
    let (pod, reason) = (stuck.pod, &stuck.reason);
    let mut note = format!("evicted, to be placed anew: it cannot start here: {reason}");
    note.truncate(note.floor_char_boundary(MOST));
    let event = Event {
        type_: EventType::Warning,
        reason: "Rescheduled".to_owned(),
        note: Some(note),
        action: "Evict".to_owned(),
        secondary: None,
    };
    let (namespace, name) = (pod.metadata.namespace.clone().unwrap_or_default(), stuck.name);
    match evict(client, &namespace, pod).await {
        Ok(()) => info!(namespace, name, reason, "a pod that cannot start here is evicted"),
        Err(error) => return warn!(%error, namespace, name, "a pod that cannot start here is not evicted"),
    }
    if let Err(error) = recorder.publish(&event, &pod.object_ref(&())).await {
        warn!(%error, namespace, name, "an eviction cannot be made known by an event");
    }
}

/// Evicts exactly this pod, and not another one of its name.
async fn evict(client: &Client, namespace: &str, pod: &Pod) -> Result<(), kube::Error> {
    let preconditions = Preconditions { uid: pod.metadata.uid.clone(), resource_version: None };
    let eviction = Eviction {
        metadata: ObjectMeta { name: pod.metadata.name.clone(), ..ObjectMeta::default() },
        delete_options: Some(DeleteOptions {
            preconditions: Some(preconditions),
            ..DeleteOptions::default()
        }),
    };
    let pods = Api::<Pod>::namespaced(client.clone(), namespace);
    let name = pod.metadata.name.as_deref().unwrap_or_default();
    // The API server answers with a status, of which nothing is needed.
    let answer: Result<serde_json::Value, kube::Error> =
        pods.create_subresource("eviction", name, &PostParams::default(), &eviction).await;
    answer.map(drop)
}
