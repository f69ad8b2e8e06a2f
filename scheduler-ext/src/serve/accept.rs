//! Listening, and connections.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

/// Between two attempts to take a connection.
const PAUSE: Duration = Duration::from_secs(1);

/// A client has said within this who it is, where it is asked for that.
const GREETED_WITHIN: Duration = Duration::from_secs(5);

/// How much clients may ask for.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Connections at a time. One more waits until another is closed.
    pub connections: usize,
    /// How long a client may take to send the head of a request, and to be silent between two of them. `None`: for ever.
    pub head_within: Option<Duration>,
}

impl Limits {
    /// For kube-scheduler, from this machine or pod. Its connections stay open between requests: to close one is to lose the
    /// request that comes at that moment, and with it a try to place a pod.
    pub const SCHEDULER: Self = Self { connections: 1024, head_within: None };

    /// For whoever reaches this machine.
    pub const NETWORK: Self = Self { connections: 64, head_within: Some(Duration::from_secs(5)) };
}

/// Listens at the first of `addresses` that can be had.
///
/// # Errors
/// None of them can.
pub async fn listen(addresses: &[SocketAddr]) -> io::Result<TcpListener> {
    TcpListener::bind(addresses).await.map_err(|error| {
        let tried: Vec<String> = addresses.iter().map(ToString::to_string).collect();
        io::Error::new(error.kind(), format!("cannot listen at {}: {error}", tried.join(" or ")))
    })
}

/// Answers who comes with what `router` says, for ever. `greet` makes of a connection what is spoken over: itself, or TLS.
pub async fn serve<G, F, S>(listener: TcpListener, limits: Limits, router: Router, greet: G) -> Infallible
where
    G: Fn(TcpStream) -> F,
    F: Future<Output = io::Result<S>> + Send + 'static,
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let mut connections = JoinSet::new();
    loop {
        while connections.try_join_next().is_some() {}
        if connections.len() >= limits.connections {
            connections.join_next().await;
        }
        match listener.accept().await {
            Ok((stream, _)) => {
                // Answers are small and waited for.
                let _ = stream.set_nodelay(true);
                connections.spawn(connection(greet(stream), limits, router.clone()));
            }
            // Who has gone since, or no descriptor left.
            Err(error) if error.kind() == io::ErrorKind::ConnectionAborted => {}
            Err(error) => {
                tracing::warn!(%error, "a connection cannot be taken");
                sleep(PAUSE).await;
            }
        }
    }
}

/// Plain HTTP.
///
/// # Errors
/// Never.
pub async fn plain(stream: TcpStream) -> io::Result<TcpStream> {
    Ok(stream)
}

async fn connection<S>(greeting: impl Future<Output = io::Result<S>>, limits: Limits, router: Router)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let stream = match timeout(GREETED_WITHIN, greeting).await {
        Ok(Ok(stream)) => stream,
        Ok(Err(error)) => return tracing::debug!(%error, "a client did not say who it is"),
        Err(_) => return tracing::debug!("a client took too long to say who it is"),
    };
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(limits.head_within);
    // Whoever does not get its answer has closed, or asked for what is no request.
    let _ = http.serve_connection(TokioIo::new(stream), TowerToHyperService::new(router)).await;
}
