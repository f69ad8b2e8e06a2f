//! Pages for Prometheus and kubelet.

use std::fmt::{self, Write};
use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use tokio::sync::Mutex;
use tokio::task::spawn_blocking;

/// How the text format of Prometheus is announced.
const EXPOSITION: &str = "text/plain; version=0.0.4; charset=utf-8";

/// Something that has to be so for all to be well.
#[derive(Clone)]
pub struct Check {
    name: &'static str,
    is_so: Arc<dyn Fn() -> Result<(), String> + Send + Sync>,
}

impl Check {
    /// `is_so` says why it is not.
    pub fn new(name: &'static str, is_so: impl Fn() -> Result<(), String> + Send + Sync + 'static) -> Self {
        Self { name, is_so: Arc::new(is_so) }
    }

    /// Whether it is so.
    ///
    /// # Errors
    /// Why it is not.
    pub fn reason(&self) -> Result<(), String> {
        (self.is_so)()
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

/// Pages, and whose turn it is to have the long one made.
struct Served {
    pages: Pages,
    turn: Mutex<()>,
}

/// `/metrics`, `/healthz`, `/healthz/kube-scheduler` and `/readyz`.
pub fn router(pages: Pages) -> Router {
    Router::new()
        .route("/metrics", get(metrics))
        .route("/healthz", get(async |State(served): State<Arc<Served>>| check(&served.pages.alive)))
        .route(
            "/healthz/kube-scheduler",
            get(async |State(served): State<Arc<Served>>| check(&served.pages.paired)),
        )
        .route("/readyz", get(async |State(served): State<Arc<Served>>| check(&served.pages.ready)))
        .fallback(async || (StatusCode::NOT_FOUND, "there are /metrics, /healthz and /readyz\n"))
        .with_state(Arc::new(Served { pages, turn: Mutex::default() }))
}

/// A page of all GPUs of a cluster takes a while: one is made at a time, on a thread where that keeps nobody waiting.
async fn metrics(State(served): State<Arc<Served>>) -> Response {
    let _turn = served.turn.lock().await;
    let made = Arc::clone(&served);
    match spawn_blocking(move || (made.pages.metrics)()).await.unwrap_or(Err(fmt::Error)) {
        Ok(text) => ([(CONTENT_TYPE, EXPOSITION)], text).into_response(),
        Err(error) => (StatusCode::INTERNAL_SERVER_ERROR, format!("metrics cannot be written: {error}\n"))
            .into_response(),
    }
}

/// A line for each thing that has to be so.
fn check(checks: &[Check]) -> (StatusCode, String) {
    let (mut status, mut text) = (StatusCode::OK, String::new());
    for check in checks {
        // Writing to a string does not fail.
        let _ = match check.reason() {
            Ok(()) => writeln!(text, "[+]{} ok", check.name),
            Err(reason) => {
                status = StatusCode::SERVICE_UNAVAILABLE;
                writeln!(text, "[-]{} failed: {reason}", check.name)
            }
        };
    }
    text.push_str(if status == StatusCode::OK { "ok\n" } else { "failed\n" });
    (status, text)
}

#[cfg(test)]
mod tests {
    use axum::body::{Body, to_bytes};
    use axum::http::Request;
    use tower::ServiceExt;

    use super::*;

    async fn get_page(path: &str) -> (StatusCode, String) {
        let pages = Pages {
            alive: vec![],
            ready: vec![
                Check::new("ledger", || Err("not filled yet".to_owned())),
                Check::new("x", || Ok(())),
            ],
            paired: vec![Check::new("kube-scheduler", || Err("it hangs".to_owned()))],
            metrics: Box::new(|| Ok("# EOF\n".to_owned())),
        };
        let request = Request::get(path).body(Body::empty()).unwrap();
        let response = router(pages).oneshot(request).await.unwrap();
        let status = response.status();
        let body = to_bytes(response.into_body(), 1 << 20).await.unwrap();
        (status, String::from_utf8(body.to_vec()).unwrap())
    }

    #[tokio::test]
    async fn what_is_not_well_is_named_and_is_the_status() {
        assert_eq!(get_page("/healthz").await, (StatusCode::OK, "ok\n".to_owned()));
        let text = "[-]ledger failed: not filled yet\n[+]x ok\nfailed\n".to_owned();
        assert_eq!(get_page("/readyz").await, (StatusCode::SERVICE_UNAVAILABLE, text));
        let text = "[-]kube-scheduler failed: it hangs\nfailed\n".to_owned();
        let page = get_page("/healthz/kube-scheduler").await;
        assert_eq!(page, (StatusCode::SERVICE_UNAVAILABLE, text));
        assert_eq!(get_page("/metrics").await, (StatusCode::OK, "# EOF\n".to_owned()));
        assert_eq!(get_page("/").await.0, StatusCode::NOT_FOUND);
    }
}
