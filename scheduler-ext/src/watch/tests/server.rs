//! An API server that a test plays: objects with versions, lists by pages, watches from a version on, mishaps.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use http::{Request, Response, StatusCode};
use kube::Client;
use kube::client::Body;
use serde_json::{Value, json};

/// How many objects are in one answer.
const PAGE: usize = 2;

/// How long a watch lasts in which nothing happens.
const QUIET: Duration = Duration::from_millis(20);

#[derive(Clone, Default)]
pub(crate) struct Server(Arc<Mutex<Objects>>);

#[derive(Default)]
pub(crate) struct Objects {
    version: u64,
    /// By path, as in `/api/v1/pods`, and name.
    all: BTreeMap<(String, String), Value>,
    /// What has happened: version, path, kind of event, object.
    log: Vec<(u64, String, &'static str, Value)>,
    /// Watches from before this version on are refused.
    pub(crate) oldest: u64,
    /// Answers nothing but errors.
    pub(crate) is_down: bool,
    /// Tells what happened last first.
    pub(crate) tells_backwards: bool,
    /// How many lists were begun, by path.
    pub(crate) lists: BTreeMap<String, usize>,
    /// What was posted.
    pub(crate) posted: Vec<Value>,
}

impl Server {
    pub(crate) fn objects(&self) -> MutexGuard<'_, Objects> {
        self.0.lock().unwrap()
    }

    pub(crate) fn client(&self) -> Client {
        let server = self.clone();
        let service = tower::service_fn(move |request: Request<Body>| {
            let server = server.clone();
            async move { Ok::<_, std::io::Error>(server.answer(request).await) }
        });
        Client::new(service, "default")
    }

    async fn answer(&self, request: Request<Body>) -> Response<Body> {
        let path = request.uri().path().to_owned();
        let query: BTreeMap<String, String> = request
            .uri()
            .query()
            .unwrap_or_default()
            .split('&')
            .filter_map(|pair| pair.split_once('='))
            .map(|(key, value)| (key.to_owned(), value.to_owned()))
            .collect();
        if self.objects().is_down {
            return response(StatusCode::SERVICE_UNAVAILABLE, &json!({"kind": "Status", "code": 503}));
        }
        if request.method() == http::Method::POST {
            let body = request.into_body().collect_bytes().await.unwrap();
            let posted: Value = serde_json::from_slice(&body).unwrap();
            self.objects().posted.push(posted.clone());
            return response(StatusCode::CREATED, &posted);
        }
        if query.contains_key("watch") {
            return self.watch(&path, query["resourceVersion"].parse().unwrap()).await;
        }
        match path.rsplit_once('/') {
            Some((_, "pods" | "nodes")) => self.objects().list(&path, query.get("continue")),
            Some((parent, name)) => self.objects().get(parent, name),
            None => unreachable!("{path}"),
        }
    }

    /// What has happened since `version`, or, after a while, nothing. The watch ends with that.
    async fn watch(&self, path: &str, version: u64) -> Response<Body> {
        let mut events = self.objects().since(path, version);
        if events.is_empty() {
            tokio::time::sleep(QUIET).await;
            events = self.objects().since(path, version);
        }
        let lines: String = events.into_iter().map(|event| format!("{event}\n")).collect();
        Response::new(Body::from(lines.into_bytes()))
    }
}

impl Objects {
    /// Makes or changes an object. Only what is whole has a uid.
    pub(crate) fn put(&mut self, path: &str, mut object: Value) {
        let name = object["metadata"]["name"].as_str().unwrap().to_owned();
        self.version += 1;
        object["metadata"]["resourceVersion"] = json!(self.version.to_string());
        let before = self.all.insert((path.to_owned(), name), object.clone());
        let kind = if before.is_some() { "MODIFIED" } else { "ADDED" };
        self.log.push((self.version, path.to_owned(), kind, object));
    }

    pub(crate) fn delete(&mut self, path: &str, name: &str) {
        let mut object = self.all.remove(&(path.to_owned(), name.to_owned())).unwrap();
        self.version += 1;
        object["metadata"]["resourceVersion"] = json!(self.version.to_string());
        self.log.push((self.version, path.to_owned(), "DELETED", object));
    }

    /// Forgets what has happened, so that watches from before now on cannot go on.
    pub(crate) fn compact(&mut self) {
        self.log.clear();
        self.version += 1;
        self.oldest = self.version;
    }

    /// Nobody is told of what happened last.
    pub(crate) fn lose_last_event(&mut self) {
        self.log.pop();
    }

    fn since(&self, path: &str, version: u64) -> Vec<Value> {
        if version < self.oldest {
            let status = json!({"kind": "Status", "status": "Failure", "code": 410, "reason": "Expired", "message": "too old"});
            return vec![json!({"type": "ERROR", "object": status})];
        }
        let new = self.log.iter().filter(|(at, of, ..)| *at > version && of == path);
        let mut events: Vec<Value> =
            new.map(|(_, _, kind, object)| json!({"type": kind, "object": object})).collect();
        if self.tells_backwards {
            events.reverse();
        }
        events
    }

    fn list(&mut self, path: &str, from: Option<&String>) -> Response<Body> {
        let from: usize = from.map_or(0, |token| token.parse().unwrap());
        if from == 0 {
            *self.lists.entry(path.to_owned()).or_default() += 1;
        }
        let all: Vec<&Value> =
            self.all.iter().filter(|((of, _), _)| of == path).map(|(_, one)| one).collect();
        let page: Vec<&Value> = all.iter().skip(from).take(PAGE).copied().collect();
        let next = (from + PAGE < all.len()).then(|| (from + PAGE).to_string());
        let metadata = json!({"resourceVersion": self.version.to_string(), "continue": next});
        response(StatusCode::OK, &json!({"metadata": metadata, "items": page}))
    }

    fn get(&self, path: &str, name: &str) -> Response<Body> {
        match self.all.get(&(path.to_owned(), name.to_owned())) {
            Some(object) => response(StatusCode::OK, object),
            None => response(
                StatusCode::NOT_FOUND,
                &json!({"kind": "Status", "status": "Failure", "code": 404, "reason": "NotFound", "message": "not found"}),
            ),
        }
    }
}

fn response(status: StatusCode, body: &Value) -> Response<Body> {
    let mut response = Response::new(Body::from(body.to_string().into_bytes()));
    *response.status_mut() = status;
    response
}
