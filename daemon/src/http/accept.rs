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
use tokio::time::{sleep, timeout};

use super::Limits;
use super::connections::Connections;
use super::stream::{Answered, Watched};

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
                let answered = Answered::default();
                connections
                    .add(answered.clone(), connection(greet(stream), limits, answered, router.clone()));
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

async fn connection<S>(
    greeting: impl Future<Output = io::Result<S>>,
    limits: Limits,
    answered: Answered,
    router: Router,
) where
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
    let stream = Watched::new(stream, answered, limits.answer_read_within);
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

    async fn site(limits: Limits, page: &'static str) -> SocketAddr {
        let listener = listen(&["127.0.0.1:0".parse().unwrap()]).await.unwrap();
        let address = listener.local_addr().unwrap();
        let router = Router::new().route("/", get(async move || page));
        tokio::spawn(serve(listener, limits, router, plain));
        address
    }

    /// What is answered on this connection.
    async fn ask(client: &mut TcpStream) -> String {
        client.write_all(b"GET / HTTP/1.1\r\n\r\n").await.unwrap();
        let mut answer = Vec::new();
        while !answer.ends_with(b"here") {
            let read = client.read_buf(&mut answer).await.unwrap();
            assert!(read > 0, "closed after {}", String::from_utf8_lossy(&answer));
        }
        String::from_utf8(answer).unwrap()
    }

    #[tokio::test]
    async fn who_holds_connections_open_keeps_nobody_out_of_the_webhook() {
        let address = site(Limits { connections: 4, ..Limits::WEBHOOK }, "here").await;
        let mut used = TcpStream::connect(address).await.unwrap();
        ask(&mut used).await;
        let mut silent = Vec::new();
        for _ in 0..8 {
            silent.push(TcpStream::connect(address).await.unwrap());
        }
        let mut other = TcpStream::connect(address).await.unwrap();
        ask(&mut other).await;
        // The oldest of the silent ones was closed for it, and not the one that is used.
        let _ = silent[0].read(&mut [0]).await;
        ask(&mut used).await;
    }

    #[tokio::test(start_paused = true)]
    async fn who_does_not_read_its_answer_is_given_up() {
        const LENGTH: usize = 64 << 20;
        for limits in [Limits::WEBHOOK, Limits::PAGES] {
            let address = site(limits, Box::leak("x".repeat(LENGTH).into_boxed_str())).await;
            let mut client = TcpStream::connect(address).await.unwrap();
            client.write_all(b"GET / HTTP/1.1\r\n\r\n").await.unwrap();
            client.readable().await.unwrap();
            sleep(Duration::from_secs(11)).await;
            let mut read = Vec::new();
            let _ = client.read_to_end(&mut read).await;
            assert!(read.len() < LENGTH, "the whole answer was kept for it");
        }
    }
}
