//! A certificate of our own: kept in a Secret, shared by the replicas, trusted by the API server.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use kube::Client;
use tokio::time::{sleep, timeout};

use super::configurations::Configurations;
use super::secret::Shared;
use super::served::Served;
use super::{CertificateError, now};
use crate::settings::object::ObjectName;

/// Between two looks at the Secret and the configurations: so long the webhook is not trusted after somebody has written them anew.
const EVERY: Duration = Duration::from_secs(10);

/// A look is over within this. What it has written by then is found by the next one.
const WITHIN: Duration = Duration::from_secs(30);

/// Where everything is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Places {
    /// The Secret.
    pub secret: ObjectName,
    /// The Service by which API servers reach the webhook.
    pub service: ObjectName,
    /// The name of both configurations of webhooks.
    pub configuration: String,
}

/// The certificate is not as it should be.
#[derive(Debug, thiserror::Error)]
pub enum KeepError {
    /// It cannot be made.
    #[error(transparent)]
    Certificate(#[from] CertificateError),
    /// The Secret is out of reach.
    #[error("the Secret {name} cannot be {what}: {error}")]
    Secret {
        /// Its name.
        name: String,
        /// What was to be done with it.
        what: &'static str,
        /// Why not.
        error: Box<kube::Error>,
    },
    /// A configuration is.
    #[error("the {kind} cannot be {what}: {error}")]
    Configuration {
        /// Which.
        kind: String,
        /// What was to be done with it.
        what: &'static str,
        /// Why not.
        error: Box<kube::Error>,
    },
    /// Others write the Secret all the time.
    #[error("others write the Secret at the same time, again and again")]
    Contended,
}

/// Keeps the certificate.
pub struct Keeper {
    shared: Shared,
    configurations: Configurations,
    served: Arc<Served>,
}

impl Keeper {
    /// One that has not looked yet.
    #[must_use]
    pub fn new(client: &Client, places: &Places, served: Arc<Served>) -> Self {
        let server = format!("{}.{}.svc", places.service.name, places.service.namespace);
        let shared = Shared::new(client.clone(), &places.secret, vec![server]);
        Self { shared, configurations: Configurations::new(client, &places.configuration), served }
    }

    /// Sees to it, for ever.
    pub async fn run(self) -> Infallible {
        let mut said = String::new();
        loop {
            let looked = match timeout(WITHIN, self.look(now())).await {
                Ok(looked) => looked.map_err(|error| error.to_string()),
                Err(_) => Err("the API server does not answer".to_owned()),
            };
            match looked {
                Ok(()) => said.clear(),
                Err(error) => {
                    if said != error {
                        tracing::warn!(error, "the webhook's certificate is not seen to; trying again");
                        said = error;
                    }
                }
            }
            sleep(EVERY).await;
        }
    }

    /// Renews what is due at this time, serves with what all replicas serve with, and has API servers trust it.
    ///
    /// # Errors
    /// The API server did not do its part. What was served with still is.
    pub async fn look(&self, now: Duration) -> Result<(), KeepError> {
        let keyring = self.shared.keep(now).await?;
        let told = self.configurations.tell(&keyring.bundle()).await;
        self.served.set(keyring.certified()?);
        told
    }
}
