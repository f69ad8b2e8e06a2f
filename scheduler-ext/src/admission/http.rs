//! Where the webhook is asked.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Body;
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use tokio::sync::Semaphore;
use tokio::time::timeout;

use super::Rules;
use super::meters::Meters;
use super::review::{Outcome, Question, answer};
use crate::serve::body;

/// The largest review: an object of the 3 MiB that the API server takes, or of half of it before and after.
const BODY: usize = 4 << 20;

/// Reviews that are read at a time, which bounds what they take of memory.
const AT_A_TIME: usize = 32;

/// A review has been sent within this. API servers wait for five seconds altogether.
const WITHIN: Duration = Duration::from_secs(4);

/// The routes of the webhook.
pub fn routes(rules: &Arc<Rules>, meters: &Meters) -> Router {
    let desk = Arc::new(Semaphore::new(AT_A_TIME));
    let ask = |question: Question| {
        let (rules, desk, meters) = (Arc::clone(rules), Arc::clone(&desk), meters.clone());
        post(move |body: Body| async move {
            let start = Instant::now();
            let (outcome, response) = respond(&rules, &desk, question, body).await;
            meters.answered(question, outcome, start.elapsed());
            response
        })
    };
    Router::new()
        .route("/pods/mutate", ask(Question::Mutate))
        .route("/pods/validate", ask(Question::Validate))
        .route("/templates/validate", ask(Question::Warn))
}

async fn respond(
    rules: &Rules,
    desk: &Semaphore,
    question: Question,
    body: Body,
) -> (Option<Outcome>, Response) {
    let refused = |status: StatusCode, why: &dyn fmt::Display| (status, format!("{why}\n")).into_response();
    let read = async {
        let _seat = desk.acquire().await;
        body::read(body, BODY).await
    };
    let body = match timeout(WITHIN, read).await {
        Ok(Ok(body)) => body,
        Ok(Err(error)) => return (None, refused(StatusCode::BAD_REQUEST, &error)),
        Err(_) => {
            return (None, refused(StatusCode::REQUEST_TIMEOUT, &"the body has not come in time"));
        }
    };
    match answer(rules, question, &body) {
        Ok((outcome, answer)) => {
            (Some(outcome), ([(CONTENT_TYPE, "application/json")], answer).into_response())
        }
        Err(error) => (None, refused(StatusCode::BAD_REQUEST, &error)),
    }
}
