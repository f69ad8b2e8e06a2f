//! The parts put together.

use anyhow::{Context, Result};

use crate::serve::accept::{self, Limits};
use crate::serve::pages::{self, Pages};
use crate::settings::flags::Flags;

/// Runs until `end`.
///
/// # Errors
/// What keeps it from running.
pub async fn run(flags: &Flags, end: impl Future<Output = ()>) -> Result<()> {
    let pages = Pages { alive: vec![], ready: vec![], metrics: Box::new(|| Ok(String::new())) };
    tokio::select! {
        served = serve_pages(flags, pages) => served,
        () = end => Ok(()),
    }
}

async fn serve_pages(flags: &Flags, pages: Pages) -> Result<()> {
    let addresses = flags.metrics_bind_address.addresses();
    if addresses.is_empty() {
        return std::future::pending().await;
    }
    let listener = accept::listen(addresses).await.context("metrics and probes")?;
    match accept::serve(listener, Limits::NETWORK, pages::router(pages), accept::plain).await {}
}
