//! An API server with what the webhook keeps in it: objects by path, versions, conflicts.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http::{Method, Request, Response};
use kube::Client;
use kube::client::Body;
use serde_json::{Value, json};
use tokio::sync::Barrier;

pub(crate) const SECRET: &str = "/api/v1/namespaces/vgpu-system/secrets/webhook";
pub(crate) const MUTATING: &str =
    "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/vgpu-scheduler";
pub(crate) const VALIDATING: &str =
    "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/vgpu-scheduler";

#[derive(Default)]
struct State {
    objects: BTreeMap<String, Value>,
    version: u64,
    /// What is answered instead, where something is wrong.
    fault: Option<u16>,
    /// Method and path of what was written.
    written: Vec<(Method, String)>,
    /// Whoever reads the Secret waits until so many do.
    meeting: Option<Arc<Barrier>>,
    /// Somebody else writes the object at this path just before the next one who does.
    overtaken: Option<&'static str>,
}

#[derive(Clone, Default)]
pub(crate) struct Api(Arc<Mutex<State>>);

impl Api {
    /// One with the two configurations that the chart brings.
    pub(crate) fn new() -> Self {
        let api = Self::default();
        let webhook = |name: &str| {
            let service = json!({"namespace": "vgpu-system", "name": "webhook", "port": 443});
            json!({"name": name, "clientConfig": {"service": service}, "sideEffects": "None",
                "admissionReviewVersions": ["v1"], "failurePolicy": "Fail"})
        };
        let of = |webhooks: Vec<Value>| json!({"metadata": {"name": "vgpu-scheduler"}, "webhooks": webhooks});
        api.put(MUTATING, of(vec![webhook("mutate.pods.vgpu.io")]));
        let validating = ["validate.pods.vgpu.io", "validate.templates.vgpu.io"].map(webhook);
        api.put(VALIDATING, of(validating.into()));
        api
    }

    /// And with the empty Secret that the chart brings, too.
    pub(crate) fn with_secret() -> Self {
        let api = Self::new();
        api.put(
            SECRET,
            json!({"metadata": {"name": "webhook", "labels": {"app": "vgpu"}}, "type": "Opaque"}),
        );
        api
    }

    pub(crate) fn client(&self) -> Client {
        let api = self.clone();
        let service = tower::service_fn(move |request: Request<Body>| {
            let api = api.clone();
            async move { Ok::<_, std::io::Error>(api.answer(request).await) }
        });
        Client::new(service, "default")
    }

    pub(crate) fn get(&self, path: &str) -> Option<Value> {
        self.0.lock().unwrap().objects.get(path).cloned()
    }

    /// Somebody else writes.
    pub(crate) fn put(&self, path: &str, mut object: Value) {
        let mut state = self.0.lock().unwrap();
        state.version += 1;
        object["metadata"]["resourceVersion"] = json!(state.version.to_string());
        state.objects.insert(path.to_owned(), object);
    }

    /// Somebody else changes.
    pub(crate) fn change(&self, path: &str, change: impl FnOnce(&mut Value)) {
        let mut object = self.get(path).unwrap();
        change(&mut object);
        self.put(path, object);
    }

    pub(crate) fn fail_with(&self, fault: Option<u16>) {
        self.0.lock().unwrap().fault = fault;
    }

    pub(crate) fn meet(&self, readers: usize) {
        self.0.lock().unwrap().meeting = Some(Arc::new(Barrier::new(readers)));
    }

    pub(crate) fn overtake(&self, path: &'static str) {
        self.0.lock().unwrap().overtaken = Some(path);
    }

    /// What was written since this was last asked.
    pub(crate) fn written(&self) -> Vec<(Method, String)> {
        std::mem::take(&mut self.0.lock().unwrap().written)
    }

    /// What API servers trust, in each of the webhooks.
    pub(crate) fn bundles(&self) -> Vec<String> {
        let all = [MUTATING, VALIDATING].map(|path| self.get(path).unwrap());
        let text = |webhook: &Value| {
            let text = webhook["clientConfig"]["caBundle"].as_str().unwrap_or_default();
            String::from_utf8(STANDARD.decode(text).unwrap()).unwrap()
        };
        all.iter().flat_map(|object| object["webhooks"].as_array().unwrap().iter().map(text)).collect()
    }

    async fn answer(&self, request: Request<Body>) -> Response<Body> {
        let path = request.uri().path().to_owned();
        if request.method() == Method::GET {
            let answer = self.read(&path);
            let meeting = self.0.lock().unwrap().meeting.clone().filter(|_| path == SECRET);
            if let Some(meeting) = meeting
                && meeting.wait().await.is_leader()
            {
                self.0.lock().unwrap().meeting = None;
            }
            return answer;
        }
        let (head, body) = request.into_parts();
        let body: Value = serde_json::from_slice(&body.collect_bytes().await.unwrap()).unwrap();
        self.write(&head.method, path, body)
    }

    fn read(&self, path: &str) -> Response<Body> {
        let state = self.0.lock().unwrap();
        match (state.fault, state.objects.get(path)) {
            (Some(fault), _) => status(fault),
            (None, Some(object)) => answer(200, object),
            (None, None) => status(404),
        }
    }

    fn write(&self, method: &Method, mut path: String, body: Value) -> Response<Body> {
        let overtaken = self.0.lock().unwrap().overtaken.take_if(|overtaken| path == *overtaken);
        if overtaken.is_some() {
            self.change(&path, |_| ());
        }
        let name = body["metadata"]["name"].as_str().unwrap_or_default().to_owned();
        if *method == Method::POST {
            path = format!("{path}/{name}");
        }
        let mut state = self.0.lock().unwrap();
        if let Some(fault) = state.fault {
            return status(fault);
        }
        let held = state.objects.get(&path).cloned();
        let is_read =
            |held: &Value| held["metadata"]["resourceVersion"] == body["metadata"]["resourceVersion"];
        let next = match (method, held) {
            (&Method::POST, None) => body,
            (&Method::PUT, Some(held)) if is_read(&held) => body,
            (&Method::POST | &Method::PUT, Some(_)) => return status(409),
            (&Method::PATCH, Some(mut held)) => {
                match json_patch::patch(
                    &mut held,
                    &serde_json::from_value::<json_patch::Patch>(body).unwrap(),
                ) {
                    Ok(()) => held,
                    Err(_) => return status(422),
                }
            }
            _ => return status(404),
        };
        state.written.push((method.clone(), path.clone()));
        drop(state);
        self.put(&path, next);
        answer(200, &self.get(&path).unwrap())
    }
}

fn status(code: u16) -> Response<Body> {
    let reason = if code == 404 { "NotFound" } else { "" };
    let status = json!({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
        "message": format!("it is {code}"), "reason": reason, "code": code});
    answer(code, &status)
}

fn answer(code: u16, body: &Value) -> Response<Body> {
    Response::builder().status(code).body(Body::from(body.to_string().into_bytes())).unwrap()
}
