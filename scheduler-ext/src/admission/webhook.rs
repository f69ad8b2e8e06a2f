//! The webhook as a part of the program.

use std::convert::Infallible;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, Result};
use daemon::http;
use kube::Client;
use prometheus_client::registry::Registry;

use super::Rules;
use super::certificates::files;
use super::certificates::own::{Keeper, Places};
use super::certificates::served::Served;
use super::meters::Meters;
use crate::ledger::SharedLedger;
use crate::request::Reader;
use crate::serve::pages::Check;
use crate::serve::tls;
use crate::settings::webhook::WebhookFlags;

/// Where its certificate comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Source {
    Directory(PathBuf),
    Own(Places),
}

/// The webhook. It answers whether its replica leads or not, since all that it knows is in the question.
#[derive(Clone, Debug)]
pub struct Webhook {
    flags: WebhookFlags,
    source: Source,
    rules: Arc<Rules>,
    served: Arc<Served>,
    meters: Meters,
}

impl Webhook {
    /// What the command line asks for, if it does.
    #[must_use]
    pub fn new(flags: &WebhookFlags, reader: Reader, ledger: Option<SharedLedger>) -> Option<Self> {
        let flags = flags.clone();
        let source = match (&flags.webhook_cert_dir, &flags.webhook_secret) {
            _ if flags.webhook_bind_address.addresses().is_empty() => return None,
            (Some(directory), _) => Source::Directory(directory.clone()),
            (None, secret) => Source::Own(Places {
                secret: secret.clone()?,
                service: flags.webhook_service.clone()?,
                configuration: flags.webhook_configuration.clone()?,
            }),
        };
        let (scheduler_name, claim_writers) = (flags.scheduler_name.clone(), flags.claim_writers.clone());
        let rules = Arc::new(Rules { reader, scheduler_name, claim_writers, ledger });
        Some(Self { flags, source, rules, served: Arc::default(), meters: Meters::default() })
    }

    /// Whether it can answer: it has a certificate.
    #[must_use]
    pub fn check(&self) -> Check {
        let served = Arc::clone(&self.served);
        Check::new("webhook", move || {
            served.is_ready().then_some(()).ok_or_else(|| "no certificate yet: the log says why".to_owned())
        })
    }

    /// Makes what is counted of it a part of what Prometheus is told.
    pub fn register(&self, registry: &mut Registry) {
        self.meters.register(registry, &self.served);
    }

    /// Answers for ever. The API server is spoken to for a certificate of its own, and for nothing else.
    ///
    /// # Errors
    /// It cannot listen.
    pub async fn run(self, client: Client) -> Result<Infallible> {
        let listener = http::listen(self.flags.webhook_bind_address.addresses()).await.context("webhook")?;
        let serving =
            tls::serve(listener, self.served.config()?, super::http::routes(&self.rules, &self.meters));
        let served = Arc::clone(&self.served);
        let keeping = async move {
            match self.source {
                Source::Directory(directory) => files::follow(directory, served).await,
                Source::Own(places) => Keeper::new(&client, &places, served).run().await,
            }
        };
        // On a task of its own: whatever it waits for, answers do not.
        let keeping = tokio::spawn(keeping);
        tokio::select! {
            never = serving => match never {},
            ended = keeping => Ok(ended.context("the webhook's certificate")?),
        }
    }
}
