//! Pages for Prometheus and kubelet: `/metrics`, `/healthz` and `/readyz`.

use std::fmt::Write;
use std::sync::Arc;

use axum::Router;
use axum::body::Bytes;
use axum::extract;
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use axum::routing::get;

/// How the text format of Prometheus is announced.
const EXPOSITION: &str = "text/plain; version=0.0.4; charset=utf-8";

/// As it has to be, or why not.
pub type State = Result<(), String>;

/// A program that tells how it does.
pub trait Site: Send + Sync + 'static {
    /// What has to be so for it to go on, each under a name: kubelet starts it anew where it is not.
    fn health(&self) -> Vec<(&'static str, State)>;

    /// What has to be so for it to be of use.
    fn readiness(&self) -> Vec<(&'static str, State)>;

    /// The text of all metrics; else why there is none.
    fn metrics(self: Arc<Self>) -> impl Future<Output = Result<Bytes, String>> + Send;
}

/// The pages of `site`.
pub fn router<S: Site>(site: Arc<S>) -> Router {
    type Of<S> = extract::State<Arc<S>>;
    Router::new()
        .route("/metrics", get(async |site: Of<S>| metrics(site.0.metrics().await)))
        .route("/healthz", get(async |site: Of<S>| check(site.health())))
        .route("/readyz", get(async |site: Of<S>| check(site.readiness())))
        .fallback(async || (StatusCode::NOT_FOUND, "there are /metrics, /healthz and /readyz\n"))
        .method_not_allowed_fallback(async || (StatusCode::METHOD_NOT_ALLOWED, "pages can only be read\n"))
        .with_state(site)
}

fn metrics(made: Result<Bytes, String>) -> Response {
    match made {
        Ok(text) => ([(CONTENT_TYPE, EXPOSITION)], text).into_response(),
        Err(reason) => {
            (StatusCode::INTERNAL_SERVER_ERROR, format!("there are no metrics: {reason}\n")).into_response()
        }
    }
}

/// A line for each thing that has to be so.
#[must_use]
pub fn check(states: Vec<(&'static str, State)>) -> (StatusCode, String) {
    let (mut status, mut text) = (StatusCode::OK, String::new());
    for (name, state) in states {
        // Writing to a string does not fail.
        let _ = match state {
            Ok(()) => writeln!(text, "[+]{name} ok"),
            Err(reason) => {
                status = StatusCode::SERVICE_UNAVAILABLE;
                writeln!(text, "[-]{name} failed: {reason}")
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

    struct Unready;

    impl Site for Unready {
        fn health(&self) -> Vec<(&'static str, State)> {
            vec![]
        }

        fn readiness(&self) -> Vec<(&'static str, State)> {
            vec![("ledger", Err("not filled yet".to_owned())), ("x", Ok(()))]
        }

        async fn metrics(self: Arc<Self>) -> Result<Bytes, String> {
            Ok("# EOF\n".into())
        }
    }

    async fn get_page(path: &str) -> (StatusCode, String) {
        let request = Request::get(path).body(Body::empty()).unwrap();
        let response = router(Arc::new(Unready)).oneshot(request).await.unwrap();
        let status = response.status();
        let body = to_bytes(response.into_body(), 1 << 20).await.unwrap();
        (status, String::from_utf8(body.to_vec()).unwrap())
    }

    #[tokio::test]
    async fn what_is_not_well_is_named_and_is_the_status() {
        assert_eq!(get_page("/healthz").await, (StatusCode::OK, "ok\n".to_owned()));
        let text = "[-]ledger failed: not filled yet\n[+]x ok\nfailed\n".to_owned();
        assert_eq!(get_page("/readyz").await, (StatusCode::SERVICE_UNAVAILABLE, text));
        assert_eq!(get_page("/metrics").await, (StatusCode::OK, "# EOF\n".to_owned()));
        assert_eq!(get_page("/").await.0, StatusCode::NOT_FOUND);
    }
}
