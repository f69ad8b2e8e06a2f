//! The API server, as far as binding goes.

use std::time::Duration;

use axum::http::Request;
use contract::claim::Claim;
use kube::{Api, Client};
use serde_json::{Value, json};
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::timeout;

use super::target::Target;
use crate::api::Pod;
use crate::ledger::PodId;

/// The API server gives up a request after that, and so do we.
pub(super) const PATIENCE: Duration = Duration::from_secs(2);

/// Requests at a time; others wait.
const REQUESTS: usize = 64;

/// Asks the API server and tells it.
#[derive(Debug)]
pub(super) struct ApiServer {
    client: ClientOf,
    /// The annotation of claims.
    key: String,
    turns: Semaphore,
}

/// A client; it has nothing to show.
struct ClientOf(Client);

impl std::fmt::Debug for ClientOf {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Client")
    }
}

/// What it says to a binding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Word {
    /// The pod is bound.
    Taken,
    /// It is not.
    Refused(String),
    /// It may be, or may come to be. A conflict is one of these: the API server says so of all that etcd says, too, after which the
    /// binding may have been written.
    NotKnown(String),
}

/// What it shows of a pod.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Shown {
    /// Bound to this node, with this claim.
    AsPosted,
    /// Not bound.
    Unbound,
    /// Not bound, and never to be: it is being deleted, after which no binding can be written that was on its way.
    Leaving,
    /// Bound otherwise, and where.
    Otherwise(String),
    /// There is no such pod, or it is over: it holds nothing, and never will.
    Gone,
}

/// Leave to tell the API server something, at once.
pub(super) struct Turn<'a> {
    server: &'a ApiServer,
    _permit: Option<SemaphorePermit<'a>>,
}

impl Turn<'_> {
    /// Binds a pod together with its claim, if it is still the same pod. The turn is over then: to find out what became of it takes
    /// turns of its own.
    pub(super) async fn post(self, target: &Target, claim: Option<&Claim>) -> Word {
        self.server.post(target, claim).await
    }
}

impl ApiServer {
    /// That of `client`. Claims are under the annotation `key`.
    pub(super) fn new(client: Client, key: String) -> Self {
        Self { client: ClientOf(client), key, turns: Semaphore::new(REQUESTS) }
    }

    /// Waits until it may be told something. What has to be so then is to be asked afterwards.
    pub(super) async fn turn(&self) -> Turn<'_> {
        Turn { server: self, _permit: self.turns.acquire().await.ok() }
    }

    /// Binds a pod together with its claim, if it is still the same pod.
    async fn post(&self, target: &Target, claim: Option<&Claim>) -> Word {
        let PodId { namespace, name, .. } = &target.pod;
        let path =
            format!("/api/v1/namespaces/{namespace}/pods/{name}/binding?timeout={}s", PATIENCE.as_secs());
        let body = self.binding(target, claim).to_string().into_bytes();
        let request = Request::post(path).header("Content-Type", "application/json").body(body);
        let request = match request {
            Ok(request) => request,
            Err(error) => return Word::Refused(error.to_string()),
        };
        match timeout(PATIENCE, self.client.0.request_text(request)).await {
            Ok(Ok(_)) => Word::Taken,
            Ok(Err(kube::Error::Api(status))) => match status.code {
                408 | 409 => Word::NotKnown(status.message),
                400..=499 => Word::Refused(status.message),
                _ => Word::NotKnown(status.message),
            },
            Ok(Err(error)) => Word::NotKnown(error.to_string()),
            Err(_) => Word::NotKnown(format!("no answer in {} s", PATIENCE.as_secs())),
        }
    }

    fn binding(&self, target: &Target, claim: Option<&Claim>) -> Value {
        let annotations = claim.map_or_else(|| json!({}), |claim| json!({ &self.key: claim.encode() }));
        json!({
            "apiVersion": "v1",
            "kind": "Binding",
            "metadata": {
                "namespace": target.pod.namespace,
                "name": target.pod.name,
                "uid": target.pod.uid.as_str(),
                "annotations": annotations,
            },
            "target": {"apiVersion": "v1", "kind": "Node", "name": target.node},
        })
    }

    /// The pod of this name, as it is now. On error it is not known.
    pub(super) async fn pod(&self, pod: &PodId) -> Result<Option<Pod>, String> {
        let api = Api::<Pod>::namespaced(self.client.0.clone(), &pod.namespace);
        let _turn = self.turns.acquire().await;
        match timeout(PATIENCE, api.get_opt(&pod.name)).await {
            Ok(Ok(pod)) => Ok(pod),
            Ok(Err(error)) => Err(error.to_string()),
            Err(_) => Err(format!("no answer in {} s", PATIENCE.as_secs())),
        }
    }

    /// Whether the pod is bound as it was to be.
    pub(super) async fn show(&self, target: &Target, claim: Option<&Claim>) -> Result<Shown, String> {
        let Some(pod) = self.pod(&target.pod).await? else { return Ok(Shown::Gone) };
        if pod.metadata.uid.as_deref() != Some(target.pod.uid.as_str()) || pod.is_over() {
            return Ok(Shown::Gone);
        }
        let Some(node) = pod.spec.node_name.as_deref().filter(|node| !node.is_empty()) else {
            let is_leaving = pod.metadata.deletion_timestamp.is_some();
            return Ok(if is_leaving { Shown::Leaving } else { Shown::Unbound });
        };
        let theirs = pod.annotation(&self.key).and_then(|text| Claim::decode(text).ok());
        let is_as_posted = node == target.node && claim.is_none_or(|claim| theirs.as_ref() == Some(claim));
        Ok(if is_as_posted { Shown::AsPosted } else { Shown::Otherwise(node.to_owned()) })
    }
}
