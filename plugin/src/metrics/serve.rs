//! Serving HTTP to whoever can reach the node: few connections, short, one request each.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::{sleep, timeout};

use super::answer::Answer;

/// Connections at a time. One more, and the oldest is closed: who asks in earnest has its answer soon, and who only holds
/// connections open keeps nobody out.
const CONNECTIONS: usize = 32;

/// A request has been sent within this.
const REQUEST_WITHIN: Duration = Duration::from_secs(5);

/// A connection has had its answer within this.
const ANSWER_WITHIN: Duration = Duration::from_secs(15);

/// The largest request.
const REQUEST_BYTES: usize = 16 << 10;

/// Between two attempts to listen or to take a connection.
const PAUSE: Duration = Duration::from_secs(5);

/// What there is to be asked for.
pub trait Site: Send + Sync + 'static {
    /// The page at `path`; `None` where there is none.
    fn page(self: Arc<Self>, path: &str) -> impl Future<Output = Option<Answer>> + Send;
}

/// Serves `site` at the first of `addresses` that can be had, for ever. Without addresses, nothing is.
pub async fn serve<S: Site>(addresses: &[SocketAddr], site: Arc<S>) -> Infallible {
    let mut said = String::new();
    while !addresses.is_empty() {
        match TcpListener::bind(addresses).await {
            Ok(listener) => return accept(listener, site).await,
            Err(error) => {
                let error = error.to_string();
                if error != said {
                    tracing::warn!(?addresses, error, "metrics and probes are not served; trying again");
                    said = error;
                }
            }
        }
        sleep(PAUSE).await;
    }
    std::future::pending().await
}

/// Serves `site` to who comes, for ever.
pub async fn accept<S: Site>(listener: TcpListener, site: Arc<S>) -> Infallible {
    let mut connections = Connections::default();
    loop {
        match listener.accept().await {
            Ok((stream, _)) => connections.add(stream, Arc::clone(&site)),
            // Who has gone since, or no descriptor left.
            Err(error) if error.kind() == io::ErrorKind::ConnectionAborted => {}
            Err(error) => {
                tracing::warn!(%error, "a connection cannot be taken");
                sleep(PAUSE).await;
            }
        }
    }
}

/// Those that are open, the oldest first. They end with this.
#[derive(Default)]
struct Connections {
    tasks: JoinSet<()>,
    order: VecDeque<AbortHandle>,
}

impl Connections {
    fn add<S: Site>(&mut self, stream: TcpStream, site: Arc<S>) {
        while self.tasks.try_join_next().is_some() {}
        self.order.retain(|connection| !connection.is_finished());
        if self.order.len() >= CONNECTIONS
            && let Some(oldest) = self.order.pop_front()
        {
            oldest.abort();
        }
        self.order.push_back(self.tasks.spawn(connection(stream, site)));
    }
}

async fn connection<S: Site>(stream: TcpStream, site: Arc<S>) {
    let service = service_fn(move |request: Request<Incoming>| {
        let site = Arc::clone(&site);
        async move { Ok::<_, Infallible>(respond(request, site).await) }
    });
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(REQUEST_WITHIN)
        .keep_alive(false)
        .max_buf_size(REQUEST_BYTES);
    // Whoever does not get its answer has closed, or asked for what is no request.
    let _ = timeout(ANSWER_WITHIN, http.serve_connection(TokioIo::new(stream), service)).await;
}

async fn respond<S: Site>(request: Request<Incoming>, site: Arc<S>) -> Response<Full<Bytes>> {
    let answer = match *request.method() {
        Method::GET | Method::HEAD => site.page(request.uri().path()).await.unwrap_or_else(|| {
            Answer::text(StatusCode::NOT_FOUND, "there are /metrics, /healthz and /readyz\n")
        }),
        _ => Answer::text(StatusCode::METHOD_NOT_ALLOWED, "pages can only be read\n"),
    };
    let mut response = Response::new(Full::new(answer.body));
    *response.status_mut() = answer.status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(answer.content_type));
    response
}
