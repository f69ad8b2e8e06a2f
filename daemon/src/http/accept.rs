//! Listening, and connections.

use std::collections::VecDeque;
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
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::{sleep, timeout};

use super::Limits;

/// Between two attempts to take a connection.
const PAUSE: Duration = Duration::from_secs(1);

/// A client has said within this who it is, where it is asked for that.
const GREETED_WITHIN: Duration = Duration::from_secs(5);

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
    let mut connections = Connections::default();
    loop {
        connections.make_room(limits).await;
        match listener.accept().await {
            Ok((stream, _)) => {
                // Answers are small and waited for.
                let _ = stream.set_nodelay(true);
                connections.add(connection(greet(stream), limits, router.clone()));
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

/// Those that are open, the oldest first. They end with this.
#[derive(Default)]
struct Connections {
    tasks: JoinSet<()>,
    order: VecDeque<AbortHandle>,
}

impl Connections {
    /// For one more.
    async fn make_room(&mut self, limits: Limits) {
        while self.tasks.try_join_next().is_some() {}
        if self.order.len() < limits.connections {
            return;
        }
        self.order.retain(|connection| !connection.is_finished());
        if self.tasks.len() < limits.connections {
            return;
        }
        if limits.makes_room
            && let Some(oldest) = self.order.pop_front()
        {
            oldest.abort();
        }
        self.tasks.join_next().await;
    }

    fn add(&mut self, connection: impl Future<Output = ()> + Send + 'static) {
        self.order.push_back(self.tasks.spawn(connection));
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
    http.timer(TokioTimer::new())
        .header_read_timeout(limits.head_within)
        .keep_alive(limits.one_request_within.is_none());
    if let Some(most) = limits.head_bytes {
        http.max_buf_size(most);
    }
    let served = http.serve_connection(TokioIo::new(stream), TowerToHyperService::new(router));
    // Whoever does not get its answer has closed, or asked for what is no request.
    let _ = match limits.one_request_within {
        Some(within) => timeout(within, served).await.unwrap_or(Ok(())),
        None => served.await,
    };
}

#[cfg(test)]
mod tests {
    use axum::routing::get;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;

    #[tokio::test]
    async fn who_holds_connections_open_keeps_nobody_out_of_the_webhook() {
        let listener = listen(&["127.0.0.1:0".parse().unwrap()]).await.unwrap();
        let address = listener.local_addr().unwrap();
        let limits = Limits { connections: 3, ..Limits::WEBHOOK };
        let router = Router::new().route("/", get(async || "here"));
        tokio::spawn(serve(listener, limits, router, plain));
        let mut silent = Vec::new();
        for _ in 0..3 {
            silent.push(TcpStream::connect(address).await.unwrap());
        }
        let mut other = TcpStream::connect(address).await.unwrap();
        other.write_all(b"GET / HTTP/1.1\r\nConnection: close\r\n\r\n").await.unwrap();
        let mut answer = String::new();
        other.read_to_string(&mut answer).await.unwrap();
        assert!(answer.ends_with("here"), "{answer}");
        // The oldest was closed for it.
        let _ = silent[0].read(&mut [0]).await;
    }
}
