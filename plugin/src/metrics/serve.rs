//! Serving metrics and probes.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use daemon::http::pages::{self, Site};
use daemon::http::{self, Limits};
use tokio::net::TcpListener;
use tokio::time::sleep;

/// Few connections, short, one small request each: whoever reaches the node can ask, and the agent has little memory.
const LIMITS: Limits = Limits {
    connections: 32,
    head_bytes: Some(16 << 10),
    one_request_within: Some(Duration::from_secs(15)),
    ..Limits::PAGES
};

/// Between two attempts to listen.
const PAUSE: Duration = Duration::from_secs(5);

/// Serves `site` at the first of `addresses` that can be had, for ever. Without addresses, nothing is. Pods get their slices even
/// where the port is taken.
pub async fn serve<S: Site>(addresses: &[SocketAddr], site: Arc<S>) -> Infallible {
    let mut said = String::new();
    while !addresses.is_empty() {
        match http::listen(addresses).await {
            Ok(listener) => return accept(listener, site).await,
            Err(error) => {
                let error = error.to_string();
                if error != said {
                    tracing::warn!(error, "metrics and probes are not served; trying again");
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
    http::serve(listener, LIMITS, pages::router(site), http::plain).await
}
