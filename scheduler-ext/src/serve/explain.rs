//! What people are told: `/explain/NAMESPACE/POD` and `/nodes`, in words or, with `?output=json`, for programs.
//!
//! Through the API server's proxy, which keeps nothing of an answer that is no success. So all are 200, and what went wrong
//! begins with `error: `.

use std::fmt::Display;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::{Path, Query, State};
use axum::routing::get;
use contract::Foreign;
use contract::names::is_object_name;
use kube::{Api, Client};
use serde::{Deserialize, Serialize};
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use crate::api::Pod;
use crate::explain::{Explanation, Nodes, views};
use crate::ledger::{Ledger, SharedLedger};
use crate::request::Reader;

/// How long the API server may take to find a pod.
const FOUND_WITHIN: Duration = Duration::from_secs(5);

/// What the answers are made of.
#[derive(Clone)]
pub struct Explainer {
    client: Client,
    /// The scheduler that gives out slices.
    scheduler: Arc<str>,
    reader: Arc<Reader>,
    ledger: SharedLedger,
    /// One question at a time: an answer may try thousands of nodes some hundred times, and kube-scheduler wants one, too.
    turn: Arc<Semaphore>,
}

/// How it is to be said.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Form {
    output: Output,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Output {
    #[default]
    Text,
    Json,
}

impl Explainer {
    /// One that looks pods up with `client` and everything else in `ledger`. `scheduler` is the one that gives out slices.
    #[must_use]
    pub fn new(client: Client, scheduler: &str, reader: Reader, ledger: SharedLedger) -> Self {
        Self {
            client,
            scheduler: scheduler.into(),
            reader: Arc::new(reader),
            ledger,
            turn: Arc::new(Semaphore::new(1)),
        }
    }

    /// Its pages.
    pub fn router(self) -> Router {
        Router::new()
            .route("/explain/{namespace}/{pod}", get(explain))
            .route("/nodes", get(nodes))
            .with_state(self)
    }

    /// The pod of this name. What is no name would be another path, asked for in this program's name.
    async fn pod(&self, namespace: &str, name: &str) -> Result<Pod, String> {
        if let Some(wrong) = [namespace, name].into_iter().find(|part| !is_object_name(part)) {
            return Err(format!("{} is no name of Kubernetes", Foreign(wrong)));
        }
        let pods = Api::<Pod>::namespaced(self.client.clone(), namespace);
        let found = timeout(FOUND_WITHIN, pods.get_opt(name)).await;
        let found = found.map_err(|_| "the API server does not answer".to_owned())?;
        let found = found.map_err(|error| format!("the API server does not show the pod: {error}"))?;
        found.ok_or_else(|| format!("there is no pod {namespace}/{name}"))
    }

    /// Thinks about the ledger as it is now, while it goes on.
    async fn say<T: Display + Serialize + Send + 'static>(
        &self,
        form: Form,
        think: impl FnOnce(&Ledger, &Reader) -> T + Send + 'static,
    ) -> Result<String, String> {
        let _turn = self.turn.acquire().await.map_err(|error| error.to_string())?;
        let (ledger, reader) = (self.ledger.read().clone(), Arc::clone(&self.reader));
        let thought = spawn_blocking(move || match (think(&ledger, &reader), form.output) {
            (said, Output::Text) => Ok(said.to_string()),
            (said, Output::Json) => serde_json::to_string_pretty(&said).map_err(|error| error.to_string()),
        });
        thought.await.map_err(|error| error.to_string())?
    }
}

async fn explain(
    State(explainer): State<Explainer>,
    Path((namespace, name)): Path<(String, String)>,
    Query(form): Query<Form>,
) -> String {
    let said = async {
        let pod = explainer.pod(&namespace, &name).await?;
        let ours = Arc::clone(&explainer.scheduler);
        explainer.say(form, move |ledger, reader| Explanation::new(&pod, &ours, reader, ledger)).await
    };
    said.await.unwrap_or_else(error)
}

async fn nodes(State(explainer): State<Explainer>, Query(form): Query<Form>) -> String {
    explainer.say(form, |ledger, _| Nodes::new(&views(ledger))).await.unwrap_or_else(error)
}

fn error(what: String) -> String {
    format!("error: {what}\n")
}

#[cfg(test)]
mod tests {
    use axum::body::{Body, to_bytes};
    use http::Request;
    use tower::ServiceExt;

    use super::*;
    use crate::ledger::tests::scene::{self, World};
    use crate::watch::tests::server::Server;

    /// The page, where the API server knows the pod `team/p` alone.
    async fn page(path: &str) -> String {
        let server = Server::default();
        server.objects().put("/api/v1/namespaces/team/pods", scene::pod("p", &scene::asks(1, 2000, 0)));
        let mut world = World::new();
        world.node("a", &[1000]);
        let ledger = SharedLedger::new(world.ledger);
        let explainer = Explainer::new(server.client(), "vgpu-scheduler", scene::reader(), ledger);
        let request = Request::get(path).body(Body::empty()).unwrap();
        let response = explainer.router().oneshot(request).await.unwrap();
        assert_eq!(response.status(), 200);
        String::from_utf8(to_bytes(response.into_body(), 1 << 20).await.unwrap().to_vec()).unwrap()
    }

    #[tokio::test]
    async fn pods_and_nodes_are_explained_in_words_and_for_programs() {
        assert!(page("/explain/team/p").await.starts_with("team/p waits for a node.\n"));
        assert!(page("/explain/team/p?output=json").await.contains("\"verdict\": \"waiting\""));
        assert!(page("/nodes").await.starts_with("NODE  GPU "));
        assert!(page("/nodes?output=json").await.contains("\"node\": \"a\""));
        assert_eq!(page("/explain/team/q").await, "error: there is no pod team/q\n");
    }

    #[tokio::test]
    async fn nobody_reaches_another_path_of_the_api_server() {
        let said = page("/explain/team%2Fpods%2Fp%3Fa/b").await;
        assert_eq!(said, "error: team/pods/p?a is no name of Kubernetes\n");
        assert!(page("/explain/team/..%2Fp").await.contains("is no name"));
    }
}
