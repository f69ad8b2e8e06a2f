//! What is to be known of a certificate.

use std::collections::BTreeSet;
use std::time::Duration;

use tokio_rustls::rustls::pki_types::CertificateDer;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use x509_parser::extensions::GeneralName;
use x509_parser::prelude::{FromDer, X509Certificate};

use super::CertificateError;

/// What is read of a certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Facts {
    /// Valid from, since 1970.
    pub from: Duration,
    /// Valid until, since 1970.
    pub until: Duration,
    /// Of the servers that it is for.
    pub names: BTreeSet<String>,
    /// Whose it is, as it stands in it.
    pub subject: Vec<u8>,
    /// Who signed it, likewise.
    pub issuer: Vec<u8>,
    /// The key, likewise.
    pub key: Vec<u8>,
}

impl Facts {
    /// Whether it is valid at this time.
    pub(super) fn holds(&self, at: Duration) -> bool {
        (self.from..self.until).contains(&at)
    }

    /// Reads the first certificate in a PEM text.
    pub(super) fn of_pem(what: &'static str, pem: &[u8]) -> Result<Self, CertificateError> {
        let unreadable = |why: String| CertificateError::Read { what, why };
        let der = CertificateDer::from_pem_slice(pem).map_err(|error| unreadable(error.to_string()))?;
        Self::of_der(&der).ok_or_else(|| unreadable("it is no certificate".to_owned()))
    }

    fn of_der(der: &[u8]) -> Option<Self> {
        let (_, certificate) = X509Certificate::from_der(der).ok()?;
        let seconds = |time: i64| Duration::from_secs(u64::try_from(time).unwrap_or(0));
        let names = certificate.subject_alternative_name().ok()?;
        let names = names.into_iter().flat_map(|names| &names.value.general_names);
        let text = |name: &GeneralName<'_>| match name {
            GeneralName::DNSName(name) => Some((*name).to_owned()),
            _ => None,
        };
        Some(Self {
            from: seconds(certificate.validity().not_before.timestamp()),
            until: seconds(certificate.validity().not_after.timestamp()),
            names: names.filter_map(text).collect(),
            subject: certificate.subject().as_raw().to_vec(),
            issuer: certificate.issuer().as_raw().to_vec(),
            key: certificate.public_key().raw.to_vec(),
        })
    }
}

/// The certificates in a PEM text, each as a text of its own.
pub(super) fn split(pem: &str) -> Vec<String> {
    const END: &str = "-----END CERTIFICATE-----";
    let parts = pem.split_inclusive(END).map(str::trim_start).filter(|part| part.ends_with(END));
    parts.map(|part| format!("{part}\n")).collect()
}
