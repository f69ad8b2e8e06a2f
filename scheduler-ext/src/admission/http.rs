//! Where the webhook is asked. Whoever reaches it can ask, so what reviews take of memory and processors is bounded, and those that
//! are as large as pods are wait for none that are larger.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Body;
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use super::Rules;
use super::meters::Meters;
use super::review::{BadReview, Outcome, Question, answer};
use crate::serve::body::{BodyError, collect};
use crate::serve::hall::{Hall, SMALL};

/// The largest review: an object of the 3 MiB that the API server takes, or of half of it before and after.
const LARGEST: usize = 4 << 20;

/// Large reviews that are thought about at a time.
const SEATS: usize = 2;

/// A review has been sent within this, and thinking about it begins. API servers wait for five seconds altogether.
const WITHIN: Duration = Duration::from_secs(4);

/// The most bytes of what is said of a bad review: it may repeat it.
const SAID: usize = 1 << 10;

/// The routes of the webhook.
pub fn routes(rules: &Arc<Rules>, meters: &Meters) -> Router {
    let desk =
        Desk { rules: Arc::clone(rules), hall: Hall::default(), seats: Arc::new(Semaphore::new(SEATS)) };
    let ask = |question: Question| {
        let (desk, meters) = (desk.clone(), meters.clone());
        post(move |body: Body| async move {
            let start = Instant::now();
            let answered = desk.respond(question, body).await;
            let outcome = answered.as_ref().ok().map(|(outcome, _)| *outcome);
            meters.answered(question, outcome, start.elapsed());
            answered.map(|(_, answer)| ([(CONTENT_TYPE, "application/json")], answer))
        })
    };
    Router::new()
        .route("/pods/mutate", ask(Question::Mutate))
        .route("/pods/validate", ask(Question::Validate))
        .route("/templates/validate", ask(Question::Warn))
}

/// Where reviews are read and thought about.
#[derive(Clone)]
struct Desk {
    rules: Arc<Rules>,
    hall: Hall,
    seats: Arc<Semaphore>,
}

impl Desk {
    async fn respond(&self, question: Question, body: Body) -> Result<(Outcome, Vec<u8>), Failure> {
        let received = timeout(WITHIN, async {
            let review = collect(body, LARGEST, Some(&self.hall)).await?;
            let seat = if review.bytes.len() > SMALL { Some(self.seat().await) } else { None };
            Ok::<_, BodyError>((review, seat))
        });
        let (review, seat) = received.await.map_err(|_| Failure::Late)??;
        if seat.is_none() {
            return Ok(answer(&self.rules, question, &review.bytes)?);
        }
        let rules = Arc::clone(&self.rules);
        let thought = spawn_blocking(move || {
            // Until it is answered, also when nobody waits for that any more.
            let _seat = seat;
            answer(&rules, question, &review.bytes)
        });
        Ok(thought.await.map_err(|_| Failure::Fault)??)
    }

    async fn seat(&self) -> OwnedSemaphorePermit {
        let seat = Arc::clone(&self.seats).acquire_owned();
        seat.await.expect("it is never closed")
    }
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error(transparent)]
    Body(#[from] BodyError),
    #[error(transparent)]
    Review(#[from] BadReview),
    #[error("the body has not come in time")]
    Late,
    /// Its message is in the log.
    #[error("the webhook has a fault: see its log")]
    Fault,
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let status = match self {
            Self::Body(_) | Self::Review(_) => StatusCode::BAD_REQUEST,
            Self::Late => StatusCode::REQUEST_TIMEOUT,
            Self::Fault => StatusCode::INTERNAL_SERVER_ERROR,
        };
        let mut text = self.to_string();
        text.truncate(text.floor_char_boundary(SAID));
        (status, format!("{text}\n")).into_response()
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use axum::body::Bytes;
    use axum::http::Request;
    use contract::resources::{Domain, NameStyle};
    use futures_util::{StreamExt, stream};
    use serde_json::json;
    use tokio::task::JoinSet;
    use tokio::time;
    use tower::ServiceExt;

    use super::*;
    use crate::request::Reader;

    fn site() -> Router {
        let rules = Rules {
            reader: Reader::new(Domain::default(), NameStyle::Vgpu),
            scheduler_name: "vgpu-scheduler".to_owned(),
            claim_writers: Vec::new(),
            ledger: None,
        };
        routes(&Arc::new(rules), &Meters::default())
    }

    /// A review of a pod with a field of so many bytes that nobody reads.
    fn review(padding: usize) -> String {
        let resource = json!({"group": "", "version": "v1", "resource": "pods"});
        json!({"kind": "AdmissionReview", "apiVersion": "admission.k8s.io/v1", "request": {
            "uid": "u", "operation": "CREATE", "resource": resource, "userInfo": {},
            "object": {"metadata": {}, "spec": {"hostname": "x".repeat(padding), "containers": [
                {"name": "c", "resources": {"limits": {"nvidia.com/vgpu-memory": "1"}}},
            ]}},
        }})
        .to_string()
    }

    async fn ask(site: &Router, body: Body) -> StatusCode {
        let request = Request::post("/pods/mutate").body(body).unwrap();
        site.clone().oneshot(request).await.unwrap().status()
    }

    #[tokio::test(start_paused = true)]
    async fn nobody_waits_for_who_sends_byte_by_byte() {
        let site = site();
        let mut slow = JoinSet::new();
        for start in [1, 200 << 10] {
            for _ in 0..200 {
                let site = site.clone();
                let first = stream::iter([Ok::<_, io::Error>(Bytes::from(vec![b' '; start]))]);
                let body = Body::from_stream(first.chain(stream::pending()));
                slow.spawn(async move { ask(&site, body).await });
            }
        }
        time::sleep(Duration::from_millis(1)).await;
        let start = time::Instant::now();
        for padding in [0, 1 << 20] {
            assert_eq!(ask(&site, review(padding).into()).await, StatusCode::OK);
        }
        assert!(start.elapsed() < Duration::from_secs(1), "{:?}", start.elapsed());
        assert_eq!(slow.join_all().await, [StatusCode::REQUEST_TIMEOUT; 400]);
    }

    #[tokio::test]
    async fn what_is_too_large_is_thrown_away_and_said() {
        let read = |length: usize| async move {
            collect(Body::from(vec![b'x'; length]), LARGEST, Some(&Hall::default())).await
        };
        assert_eq!(read(LARGEST).await.unwrap().bytes.len(), LARGEST);
        let error = read(LARGEST + 1).await.unwrap_err().to_string();
        assert_eq!(error, "the request is larger than 4 MiB");
    }

    #[tokio::test]
    async fn what_is_said_of_a_bad_review_does_not_repeat_it() {
        let odd = json!({"request": "\u{e9}".repeat(1 << 20)}).to_string();
        let request = Request::post("/pods/mutate").body(Body::from(odd)).unwrap();
        let answer = site().oneshot(request).await.unwrap();
        assert_eq!(answer.status(), StatusCode::BAD_REQUEST);
        let said = axum::body::to_bytes(answer.into_body(), SAID + 1).await.unwrap();
        assert!(said.starts_with(b"the body is no AdmissionReview: invalid type: string"));
    }
}
