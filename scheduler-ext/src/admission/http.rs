//! Where the webhook is asked.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use tokio::sync::Semaphore;
use tokio::time::timeout;

use super::Rules;
use super::review::{Question, answer};
use crate::serve::body;

/// The largest review: an object of the 3 MiB that the API server takes, or of half of it before and after.
const BODY: usize = 4 << 20;

/// Reviews that are read at a time, which bounds what they take of memory.
const AT_A_TIME: usize = 32;

/// A review has been sent within this. API servers wait for five seconds altogether.
const WITHIN: Duration = Duration::from_secs(4);

/// The routes of the webhook.
pub fn routes(rules: &Arc<Rules>) -> Router {
    let desk = Arc::new(Semaphore::new(AT_A_TIME));
    let ask = |question: Question| {
        let (rules, desk) = (Arc::clone(rules), Arc::clone(&desk));
        post(move |body: Body| async move { respond(&rules, &desk, question, body).await })
    };
    Router::new()
        .route("/pods/mutate", ask(Question::Mutate))
        .route("/pods/validate", ask(Question::Validate))
        .route("/templates/validate", ask(Question::Warn))
}

async fn respond(rules: &Rules, desk: &Semaphore, question: Question, body: Body) -> Response {
    let read = async {
        let _seat = desk.acquire().await;
        body::read(body, BODY).await
    };
    let body = match timeout(WITHIN, read).await {
        Ok(Ok(body)) => body,
        Ok(Err(error)) => return refused(StatusCode::BAD_REQUEST, &error),
        Err(_) => return refused(StatusCode::REQUEST_TIMEOUT, &"the body has not come in time"),
    };
    match answer(rules, question, &body) {
        Ok(answer) => ([(CONTENT_TYPE, "application/json")], answer).into_response(),
        Err(error) => refused(StatusCode::BAD_REQUEST, &error),
    }
}

fn refused(status: StatusCode, why: &dyn std::fmt::Display) -> Response {
    (status, format!("{why}\n")).into_response()
}
