//! The Secret in which the replicas share their keys.

use std::collections::BTreeMap;
use std::time::Duration;

use k8s_openapi::ByteString;
use k8s_openapi::api::core::v1::Secret;
use kube::api::{ObjectMeta, PostParams};
use kube::{Api, Client};

use super::keyring::Keyring;
use super::own::KeepError;
use crate::settings::object::ObjectName;

/// Attempts to write, each after another replica has written.
const ATTEMPTS: usize = 10;

/// The Secret, and for which server it is.
pub(super) struct Shared {
    api: Api<Secret>,
    name: String,
    servers: Vec<String>,
}

impl Shared {
    pub(super) fn new(client: Client, secret: &ObjectName, servers: Vec<String>) -> Self {
        Self { api: Api::namespaced(client, &secret.namespace), name: secret.name.clone(), servers }
    }

    /// What all replicas serve with at this time: as it is there, or renewed by whoever writes first.
    pub(super) async fn keep(&self, now: Duration) -> Result<Keyring, KeepError> {
        for _ in 0..ATTEMPTS {
            let secret = self.api.get_opt(&self.name).await.map_err(|error| self.unkept("read", error))?;
            let due = match secret.as_ref().map(keyring) {
                None => Keyring::make(&self.servers, now)?,
                Some(held) => match held.renewed(&self.servers, now)? {
                    None => return Ok(held),
                    Some(renewed) => renewed,
                },
            };
            match self.write(secret, &due).await {
                Ok(()) => {
                    tracing::info!(secret = self.name, "the webhook's certificate has been renewed");
                    return Ok(due);
                }
                Err(kube::Error::Api(status)) if status.code == 409 => {}
                Err(error) => return Err(self.unkept("written", error)),
            }
        }
        Err(KeepError::Contended)
    }

    /// Only over what was read: its version goes along.
    async fn write(&self, secret: Option<Secret>, keyring: &Keyring) -> Result<(), kube::Error> {
        let fields = keyring.fields().into_iter();
        let fields: BTreeMap<String, ByteString> =
            fields.map(|(name, text)| (name.to_owned(), ByteString(text.into_bytes()))).collect();
        let parameters = PostParams::default();
        match secret {
            Some(mut secret) => {
                secret.data.get_or_insert_default().extend(fields);
                self.api.replace(&self.name, &parameters, &secret).await.map(drop)
            }
            None => {
                let metadata = ObjectMeta { name: Some(self.name.clone()), ..ObjectMeta::default() };
                let secret = Secret { metadata, data: Some(fields), ..Secret::default() };
                self.api.create(&parameters, &secret).await.map(drop)
            }
        }
    }

    fn unkept(&self, what: &'static str, error: kube::Error) -> KeepError {
        KeepError::Secret { name: self.name.clone(), what, error: Box::new(error) }
    }
}

fn keyring(secret: &Secret) -> Keyring {
    let field = |name: &str| secret.data.as_ref().and_then(|data| data.get(name));
    Keyring::of_fields(|name| {
        field(name).map(|bytes| String::from_utf8_lossy(&bytes.0).into_owned()).unwrap_or_default()
    })
}
