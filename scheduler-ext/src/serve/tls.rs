//! HTTP inside of TLS, for API servers.

use std::convert::Infallible;
use std::sync::Arc;

use axum::Router;
use daemon::http::{self, Limits};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;

/// Answers who comes and speaks TLS with what `router` says, for ever.
pub async fn serve(listener: TcpListener, config: ServerConfig, router: Router) -> Infallible {
    let acceptor = TlsAcceptor::from(Arc::new(config));
    http::serve(listener, Limits::WEBHOOK, router, move |stream| acceptor.accept(stream)).await
}
