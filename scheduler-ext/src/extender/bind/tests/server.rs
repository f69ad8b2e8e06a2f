//! An API server of pods and bindings, with faults, that says so when more is claimed of a GPU than it has.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use contract::claim::Claim;
use http::{Method, Request, Response};
use kube::Client;
use kube::client::Body;
use serde_json::{Value, json};

/// What becomes of a binding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// It is done and said.
    Done,
    /// It is done after so long, and said by nobody.
    Lost(Duration),
    /// It is not done, and not said.
    Dropped,
    /// It is done, and an error is said.
    DoneAndFailed(u16),
    /// It is not done, and this is said.
    Refused(u16),
    /// It is not done: the connection breaks.
    Broken,
}

#[derive(Clone, Default)]
pub(super) struct Server(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    pods: BTreeMap<String, Value>,
    /// By pod, for its bindings, the next one last. None: it is done.
    fates: HashMap<String, Vec<Fate>>,
    /// Bindings that were asked for.
    posts: Vec<String>,
    gets: usize,
    /// How many of the next questions are not answered.
    deaf: usize,
    faults: Vec<String>,
}

const CLAIM: &str = "nvidia.com/vgpu-claim";

impl Server {
    pub(super) fn client(&self) -> Client {
        let server = self.clone();
        let service = tower::service_fn(move |request: Request<Body>| {
            let server = server.clone();
            async move { server.serve(request).await }
        });
        Client::new(service, "default")
    }

    pub(super) fn put(&self, pod: &Value) {
        let name = pod["metadata"]["name"].as_str().unwrap().to_owned();
        self.lock().pods.insert(name, pod.clone());
    }

    pub(super) fn delete(&self, name: &str) {
        self.lock().pods.remove(name);
    }

    pub(super) fn fate(&self, name: &str, fates: &[Fate]) {
        self.lock().fates.insert(name.to_owned(), fates.iter().rev().copied().collect());
    }

    pub(super) fn pod(&self, name: &str) -> Option<Value> {
        self.lock().pods.get(name).cloned()
    }

    pub(super) fn pods(&self) -> Vec<Value> {
        self.lock().pods.values().cloned().collect()
    }

    pub(super) fn posts(&self) -> Vec<String> {
        self.lock().posts.clone()
    }

    pub(super) fn gets(&self) -> usize {
        self.lock().gets
    }

    /// Does not answer so many questions.
    pub(super) fn be_deaf(&self, questions: usize) {
        self.lock().deaf = questions;
    }

    pub(super) fn faults(&self) -> Vec<String> {
        self.lock().faults.clone()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap()
    }

    async fn serve(self, request: Request<Body>) -> Result<Response<Body>, std::io::Error> {
        let (head, body) = request.into_parts();
        let name = head.uri.path().split('/').nth(6).unwrap().to_owned();
        if head.method == Method::GET {
            return Ok(self.show(&name).await);
        }
        assert_eq!(head.uri.query(), Some("timeout=2s"));
        let binding = serde_json::from_slice(&body.collect_bytes().await.unwrap()).unwrap();
        let fate = {
            let mut state = self.lock();
            state.posts.push(name.clone());
            state.fates.get_mut(&name).and_then(Vec::pop).unwrap_or(Fate::Done)
        };
        match fate {
            Fate::Done => Ok(self.bind(&name, &binding)),
            Fate::Lost(after) => {
                let (server, name) = (self.clone(), name.clone());
                tokio::spawn(async move {
                    tokio::time::sleep(after).await;
                    server.bind(&name, &binding);
                });
                std::future::pending().await
            }
            Fate::Dropped => std::future::pending().await,
            Fate::DoneAndFailed(code) => {
                self.bind(&name, &binding);
                Ok(status(code, "etcdserver: leader changed"))
            }
            Fate::Refused(code) => Ok(status(code, "refused")),
            Fate::Broken => Err(std::io::Error::other("connection reset by peer")),
        }
    }

    async fn show(&self, name: &str) -> Response<Body> {
        let (is_deaf, pod) = {
            let mut state = self.lock();
            state.gets += 1;
            let is_deaf = state.deaf > 0;
            state.deaf = state.deaf.saturating_sub(1);
            (is_deaf, state.pods.get(name).cloned())
        };
        if is_deaf {
            return std::future::pending().await;
        }
        pod.map_or_else(|| status(404, "pods not found"), |pod| answer(200, &pod))
    }

    /// As the API server does it.
    fn bind(&self, name: &str, binding: &Value) -> Response<Body> {
        let mut state = self.lock();
        let Some(pod) = state.pods.get_mut(name) else { return status(404, "pods not found") };
        if binding["metadata"]["uid"] != pod["metadata"]["uid"] {
            return status(409, "Precondition failed: UID in precondition");
        }
        if !pod["spec"]["nodeName"].is_null() {
            return status(409, "pod is already assigned to node");
        }
        pod["spec"]["nodeName"] = binding["target"]["name"].clone();
        pod["metadata"]["annotations"] = binding["metadata"]["annotations"].clone();
        state.audit();
        answer(201, &json!({"kind": "Status", "apiVersion": "v1", "status": "Success", "code": 201}))
    }
}

impl State {
    fn audit(&mut self) {
        let mut claimed: BTreeMap<(String, String), u32> = BTreeMap::new();
        for pod in self.pods.values() {
            let Some(claim) = pod["metadata"]["annotations"][CLAIM].as_str() else { continue };
            let claim = Claim::decode(claim).unwrap();
            assert_eq!(Some(claim.node()), pod["spec"]["nodeName"].as_str());
            for device in claim.containers().values().flatten() {
                let key = (claim.node().to_owned(), device.uuid.to_string());
                *claimed.entry(key).or_default() += device.memory.0.get();
            }
        }
        let over = claimed.iter().filter(|(_, memory)| **memory > 1000);
        self.faults.extend(over.map(|(device, memory)| format!("{device:?}: {memory} MiB are claimed")));
    }
}

fn answer(code: u16, body: &Value) -> Response<Body> {
    Response::builder().status(code).body(Body::from(body.to_string().into_bytes())).unwrap()
}

fn status(code: u16, message: &str) -> Response<Body> {
    let body = json!({"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": code,
        "message": message, "reason": if code == 404 { "NotFound" } else { "" }});
    answer(code, &body)
}
