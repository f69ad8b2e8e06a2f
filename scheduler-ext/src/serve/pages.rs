//! What Prometheus and kubelet are told.

use std::fmt;
use std::sync::Arc;

use axum::Router;
use axum::body::Bytes;
use axum::http::StatusCode;
use axum::routing::get;
use daemon::http::pages::{self, Site, State};
use tokio::sync::Mutex;
use tokio::task::spawn_blocking;

/// Something that has to be so for all to be well.
pub struct Check {
    name: &'static str,
    is_so: Box<dyn Fn() -> State + Send + Sync>,
}

impl Check {
    /// `is_so` says why it is not.
    pub fn new(name: &'static str, is_so: impl Fn() -> State + Send + Sync + 'static) -> Self {
        Self { name, is_so: Box::new(is_so) }
    }

    /// Whether it is so.
    ///
    /// # Errors
    /// Why it is not.
    pub fn reason(&self) -> State {
        (self.is_so)()
    }

    fn state(&self) -> (&'static str, State) {
        (self.name, self.reason())
    }
}

impl fmt::Debug for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// What there is to be asked for.
pub struct Pages {
    /// Of a program that goes on.
    pub alive: Vec<Check>,
    /// Of one that answers in earnest.
    pub ready: Vec<Check>,
    /// Of a kube-scheduler that is to go on, beside this program.
    pub paired: Vec<Check>,
    /// The text of all metrics.
    pub metrics: Box<dyn Fn() -> Result<String, fmt::Error> + Send + Sync>,
    /// Whose turn it is to have that made: a page of all GPUs of a cluster takes a while.
    pub turn: Mutex<()>,
}

impl fmt::Debug for Pages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pages")
            .field("alive", &self.alive)
            .field("ready", &self.ready)
            .field("paired", &self.paired)
            .finish_non_exhaustive()
    }
}

/// What is said of any other path. The last two are of [`explain`](super::explain), at the same address.
const THERE_ARE: &str =
    "there are /metrics, /healthz, /healthz/kube-scheduler, /readyz, /nodes and /explain/NAMESPACE/POD\n";

/// `/metrics`, `/healthz`, `/healthz/kube-scheduler` and `/readyz`.
pub fn router(pages: Pages) -> Router {
    let pages = Arc::new(pages);
    let paired = Arc::clone(&pages);
    pages::router(pages)
        .route("/healthz/kube-scheduler", get(async move || pages::check(states(&paired.paired))))
        .fallback(async || (StatusCode::NOT_FOUND, THERE_ARE))
}

fn states(checks: &[Check]) -> Vec<(&'static str, State)> {
    checks.iter().map(Check::state).collect()
}

impl Site for Pages {
    fn health(&self) -> Vec<(&'static str, State)> {
        states(&self.alive)
    }

    fn readiness(&self) -> Vec<(&'static str, State)> {
        states(&self.ready)
    }

    /// Made on a thread where that keeps nobody waiting.
    async fn metrics(self: Arc<Self>) -> Result<Bytes, String> {
        let _turn = self.turn.lock().await;
        let pages = Arc::clone(&self);
        let made = spawn_blocking(move || (pages.metrics)()).await.unwrap_or(Err(fmt::Error));
        made.map(Bytes::from).map_err(|error| error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use axum::body::{Body, to_bytes};
    use axum::http::Request;
    use tower::ServiceExt;

    use super::*;

    #[tokio::test]
    async fn a_kube_scheduler_is_told_apart_from_the_program_beside_it() {
        let pages = Pages {
            alive: vec![Check::new("lists", || Ok(()))],
            ready: vec![],
            paired: vec![Check::new("kube-scheduler", || Err("it hangs".to_owned()))],
            metrics: Box::new(|| Ok("# EOF\n".to_owned())),
            turn: Mutex::default(),
        };
        let router = router(pages);
        for (path, status, text) in [
            ("/healthz", StatusCode::OK, "[+]lists ok\nok\n"),
            (
                "/healthz/kube-scheduler",
                StatusCode::SERVICE_UNAVAILABLE,
                "[-]kube-scheduler failed: it hangs\nfailed\n",
            ),
            ("/metrics", StatusCode::OK, "# EOF\n"),
            ("/", StatusCode::NOT_FOUND, THERE_ARE),
        ] {
            let request = Request::get(path).body(Body::empty()).unwrap();
            let response = router.clone().oneshot(request).await.unwrap();
            assert_eq!(response.status(), status, "{path}");
            assert_eq!(to_bytes(response.into_body(), 1 << 20).await.unwrap(), text, "{path}");
        }
    }
}
