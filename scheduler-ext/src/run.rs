//! The parts put together.

use anyhow::{Context, Result};
use kube::Client;

use crate::admission::webhook::Webhook;
use crate::serve::accept::{self, Limits};
use crate::serve::pages::{self, Pages};
use crate::settings::flags::Flags;

/// Runs until `end`.
///
/// # Errors
/// What keeps it from running.
pub async fn run(flags: &Flags, end: impl Future<Output = ()>) -> Result<()> {
    let webhook = Webhook::new(&flags.webhook, flags.reader(), None);
    let ready = webhook.as_ref().map(Webhook::check).into_iter().collect();
    let pages = Pages { alive: vec![], ready, metrics: Box::new(|| Ok(String::new())) };
    tokio::select! {
        served = serve_pages(flags, pages) => served,
        served = serve_webhook(webhook) => served,
        () = end => Ok(()),
    }
}

async fn serve_webhook(webhook: Option<Webhook>) -> Result<()> {
    let Some(webhook) = webhook else { return std::future::pending().await };
    let client = Client::try_default().await.context("the API server")?;
    match webhook.run(client).await? {}
}

async fn serve_pages(flags: &Flags, pages: Pages) -> Result<()> {
    let addresses = flags.metrics_bind_address.addresses();
    if addresses.is_empty() {
        return std::future::pending().await;
    }
    let listener = accept::listen(addresses).await.context("metrics and probes")?;
    match accept::serve(listener, Limits::NETWORK, pages::router(pages), accept::plain).await {}
}
