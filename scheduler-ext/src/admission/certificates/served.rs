//! The certificate that connections get, which may be another one for each.

use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use tokio_rustls::rustls::crypto::ring::default_provider;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::server::{ClientHello, ResolvesServerCert, ServerConfig};
use tokio_rustls::rustls::sign::CertifiedKey;

use super::CertificateError;
use super::read::Facts;

/// A certificate with its chain and its key, which belong together.
#[derive(Clone)]
pub(super) struct Certified {
    key: Arc<CertifiedKey>,
    until: Duration,
}

impl Certified {
    /// Out of PEM texts.
    pub(super) fn read(chain: &[u8], key: &[u8]) -> Result<Self, CertificateError> {
        let until = Facts::of_pem("tls.crt", chain)?.until;
        let unreadable = |what| {
            move |why: tokio_rustls::rustls::pki_types::pem::Error| CertificateError::Read {
                what,
                why: why.to_string(),
            }
        };
        let chain: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(chain).collect();
        let chain = chain.map_err(unreadable("tls.crt"))?;
        let key = PrivateKeyDer::from_pem_slice(key).map_err(unreadable("tls.key"))?;
        let key = Arc::new(CertifiedKey::from_der(chain, key, &default_provider())?);
        Ok(Self { key, until })
    }
}

/// What is served with now.
#[derive(Default)]
pub struct Served(RwLock<Option<Certified>>);

impl Served {
    /// From now on, connections get this one.
    pub(super) fn set(&self, certified: Certified) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Some(certified);
    }

    fn get(&self) -> Option<Certified> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Whether there is one.
    #[must_use]
    pub fn is_ready(&self) -> bool {
        self.get().is_some()
    }

    /// Until when it is valid, since 1970.
    #[must_use]
    pub fn until(&self) -> Option<Duration> {
        self.get().map(|certified| certified.until)
    }

    /// How connections are encrypted with it.
    ///
    /// # Errors
    /// There is no version of TLS in common with the cryptography that is linked, which it always has.
    pub fn config(self: &Arc<Self>) -> Result<ServerConfig, CertificateError> {
        let builder = ServerConfig::builder_with_provider(Arc::new(default_provider()));
        let builder = builder.with_safe_default_protocol_versions()?.with_no_client_auth();
        let mut config = builder.with_cert_resolver(Arc::clone(self) as Arc<dyn ResolvesServerCert>);
        // What API servers speak to webhooks.
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(config)
    }
}

impl fmt::Debug for Served {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Served").field("until", &self.until()).finish()
    }
}

impl ResolvesServerCert for Served {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        self.get().map(|certified| certified.key)
    }
}
