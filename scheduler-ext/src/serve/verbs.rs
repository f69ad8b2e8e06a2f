//! What kube-scheduler asks: `/scheduler/filter`, `prioritize`, `preempt` and `bind`.
//!
//! kube-scheduler reads only answers with status 200, so what goes wrong with filter and bind is in `Error` of such an answer, from
//! where it finds its way into the pod's events. Of the other two it only logs the status.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Instant;

use axum::body::Body;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use axum::{Json, Router};
use serde::Deserialize;
use tokio::task::spawn_blocking;

use super::body::{self, BodyError};
use crate::extender::Extender;
use crate::extender::wire::{BindAnswer, BindRequest, FilterAnswer, FilterRequest, PreemptRequest};
use crate::metrics::{Stage, Verb};

/// The largest request: 5,000 whole nodes are some tens of MiB.
const MOST: usize = 256 << 20;

/// Up to this, a request is answered where it was received: some thousand names of nodes, for which to hand it to another thread and
/// the answer back would take as long as the answer itself. Not so who has to go: that is tried pod by pod.
const AT_ONCE: usize = 64 << 10;

/// The verbs, and `filter-dryrun`, which is filter for whoever only wants to know.
pub fn router(extender: Arc<Extender>) -> Router {
    Router::new()
        .route("/scheduler/filter", post(filter))
        .route("/scheduler/filter-dryrun", post(filter_dryrun))
        .route("/scheduler/prioritize", post(prioritize))
        .route("/scheduler/preempt", post(preempt))
        .route("/scheduler/bind", post(bind))
        .fallback(async || {
            (StatusCode::NOT_FOUND, "there are /scheduler/filter, prioritize, preempt and bind, for POST\n")
        })
        .with_state(extender)
}

async fn filter(State(extender): State<Arc<Extender>>, body: Body) -> Response {
    filtered(&extender, body, Extender::filter).await
}

async fn filter_dryrun(State(extender): State<Arc<Extender>>, body: Body) -> Response {
    filtered(&extender, body, Extender::try_out).await
}

async fn filtered(
    extender: &Arc<Extender>,
    body: Body,
    filter: for<'a> fn(&Extender, FilterRequest<'a>) -> FilterAnswer<'a>,
) -> Response {
    let answer = answer(extender, Verb::Filter, body, move |extender, body| {
        let answer = filter(extender, parse(extender, Verb::Filter, body)?);
        let is_error = !answer.error.is_empty();
        Ok((json(&answer), is_error))
    });
    answer.await.unwrap_or_else(|error| json(&FilterAnswer::error(error.to_string())))
}

async fn prioritize(State(extender): State<Arc<Extender>>, body: Body) -> Response {
    let answer = answer(&extender, Verb::Prioritize, body, |extender, body| {
        let request = parse(extender, Verb::Prioritize, body)?;
        Ok((json(&extender.prioritize(request)), false))
    });
    answer.await.unwrap_or_else(Failure::into_response)
}

async fn preempt(State(extender): State<Arc<Extender>>, body: Body) -> Response {
    let answer = answer(&extender, Verb::Preempt, body, |extender, body| {
        let request: PreemptRequest = parse(extender, Verb::Preempt, body)?;
        Ok((json(&extender.preempt(&request)), false))
    });
    answer.await.unwrap_or_else(Failure::into_response)
}

async fn bind(State(extender): State<Arc<Extender>>, body: Body) -> Response {
    let since = Instant::now();
    let bound = async {
        let request: BindRequest = body::parse(&body::read(body, MOST).await.map_err(|error| hint(&error))?)
            .map_err(|error| hint(&error))?;
        extender.bind(&request).await.map_err(|error| error.to_string())
    };
    let error = bound.await.err().unwrap_or_default();
    extender.metrics.took(Verb::Bind, Stage::Total, since);
    extender.metrics.answered(Verb::Bind, !error.is_empty());
    json(&BindAnswer { error })
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error("{}", hint(.0))]
    Request(#[from] BodyError),
    /// Its message is in the log.
    #[error("the scheduler extender has a fault: see its log")]
    Fault,
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let status = match self {
            Self::Request(BodyError::TooLarge(_)) => StatusCode::PAYLOAD_TOO_LARGE,
            Self::Request(_) => StatusCode::BAD_REQUEST,
            Self::Fault => StatusCode::INTERNAL_SERVER_ERROR,
        };
        (status, format!("{self}\n")).into_response()
    }
}

/// What is wrong with a request, and what helps.
fn hint(error: &BodyError) -> String {
    match error {
        BodyError::TooLarge(_) => {
            format!("{error}; set nodeCacheCapable: true, so that nodes are sent by name")
        }
        _ => error.to_string(),
    }
}

/// Reads a request. Names of nodes stay where they are in it.
fn parse<'a, T: Deserialize<'a>>(extender: &Extender, verb: Verb, body: &'a [u8]) -> Result<T, BodyError> {
    let since = Instant::now();
    let request = body::parse(body);
    extender.metrics.took(verb, Stage::Parse, since);
    request
}

/// Receives a request and thinks about it: on a thread where that keeps nobody waiting, and a fault ends nothing but this answer.
async fn answer(
    extender: &Arc<Extender>,
    verb: Verb,
    body: Body,
    think: impl FnOnce(&Extender, &[u8]) -> Result<(Response, bool), BodyError> + Send + 'static,
) -> Result<Response, Failure> {
    let since = Instant::now();
    let received = body::read(body, MOST).await;
    extender.metrics.took(verb, Stage::Receive, since);
    let answered = match received {
        Ok(bytes) => {
            // A panic has been written to the log where it was.
            let done = if bytes.len() <= AT_ONCE && verb != Verb::Preempt {
                catch_unwind(AssertUnwindSafe(|| think(extender, &bytes))).map_err(drop)
            } else {
                let extender = Arc::clone(extender);
                spawn_blocking(move || think(&extender, &bytes)).await.map_err(drop)
            };
            done.map_err(|()| Failure::Fault).and_then(|done| done.map_err(Failure::from))
        }
        Err(error) => Err(error.into()),
    };
    extender.metrics.took(verb, Stage::Total, since);
    extender.metrics.answered(verb, answered.as_ref().map_or(true, |(_, is_error)| *is_error));
    answered.map(|(response, _)| response)
}

fn json(answer: &impl serde::Serialize) -> Response {
    Json(answer).into_response()
}

#[cfg(test)]
mod tests;
