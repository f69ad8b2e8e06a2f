//! The keys of the self-managed webhook, and when they are made anew. Pure: the time is an argument.
//!
//! A serving certificate lives 90 days and is renewed after 60, its authority ten years and nine. A new authority does not sign
//! at once: the serving certificate is signed once more by the old one, whose key then goes, and API servers are told of both. When it
//! is due again, 60 days later, all of them know the new one.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use super::authority::{self, AUTHORITY, SERVING, Signed};
use super::read::{Facts, split};
use super::{CertificateError, served};

const BUNDLE: &str = "ca.crt";
const AUTHORITY_KEY: &str = "ca.key";
const CERTIFICATE: &str = "tls.crt";
const KEY: &str = "tls.key";

/// An authority, and the certificate to serve with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Keyring {
    /// The authorities that API servers trust, in PEM, the newest first.
    authorities: Vec<String>,
    /// The key of the newest.
    authority_key: String,
    serving: Signed,
}

impl Keyring {
    /// New keys, for a server of these names.
    ///
    /// # Errors
    /// A name is none that a certificate can have.
    pub fn make(names: &[String], now: Duration) -> Result<Self, CertificateError> {
        Self::with(authority::make(now)?, Vec::new(), names, now)
    }

    fn with(
        newest: Signed,
        others: Vec<String>,
        names: &[String],
        now: Duration,
    ) -> Result<Self, CertificateError> {
        let serving = authority::sign(&newest, names, now)?;
        let mut authorities = vec![newest.certificate];
        authorities.extend(others);
        Ok(Self { authorities, authority_key: newest.key, serving })
    }

    /// What is to be instead of this; `None`, if this is good.
    ///
    /// # Errors
    /// A name is none that a certificate can have.
    pub fn renewed(&self, names: &[String], now: Duration) -> Result<Option<Self>, CertificateError> {
        let held: Vec<String> = self.authorities.iter().filter(|pem| holds(pem, now)).cloned().collect();
        let left = self.newest(now).map_or(Duration::ZERO, |newest| newest.until.saturating_sub(now));
        if left <= SERVING {
            return Self::with(authority::make(now)?, held, names, now).map(Some);
        }
        if left > AUTHORITY / 10 && self.serves(names, now) {
            return Ok(None);
        }
        let serving = authority::sign(&self.signer(), names, now)?;
        let mut renewed = Self { authorities: held, authority_key: self.authority_key.clone(), serving };
        if left <= AUTHORITY / 10 {
            let next = authority::make(now)?;
            renewed.authorities.insert(0, next.certificate);
            renewed.authority_key = next.key;
        }
        Ok(Some(renewed))
    }

    /// The authority that signs, if it can at this time.
    fn newest(&self, now: Duration) -> Option<Facts> {
        let facts = Facts::of_pem(BUNDLE, self.authorities.first()?.as_bytes()).ok()?;
        (facts.holds(now) && authority::public(&self.authority_key)? == facts.key).then_some(facts)
    }

    fn signer(&self) -> Signed {
        let certificate = self.authorities.first().cloned().unwrap_or_default();
        Signed { certificate, key: self.authority_key.clone() }
    }

    /// Whether the serving certificate is these names', known to whoever trusts the authorities, and not due to be renewed.
    fn serves(&self, names: &[String], now: Duration) -> bool {
        let Ok(facts) = Facts::of_pem(CERTIFICATE, self.serving.certificate.as_bytes()) else { return false };
        let is_known = self.authorities.iter().any(|pem| {
            let authority = Facts::of_pem(BUNDLE, pem.as_bytes());
            authority.is_ok_and(|authority| authority.holds(now) && authority.subject == facts.issuer)
        });
        let is_theirs = facts.names.iter().eq(names.iter().collect::<BTreeSet<_>>());
        let left = facts.until.saturating_sub(now);
        is_known && is_theirs && facts.holds(now) && left > SERVING / 3 && self.certified().is_ok()
    }

    /// What API servers trust, in PEM.
    #[must_use]
    pub fn bundle(&self) -> String {
        self.authorities.concat()
    }

    /// What is served with.
    pub(super) fn certified(&self) -> Result<served::Certified, CertificateError> {
        served::Certified::read(self.serving.certificate.as_bytes(), self.serving.key.as_bytes())
    }

    /// As it is kept, by the names of fields.
    pub(super) fn fields(&self) -> BTreeMap<&'static str, String> {
        BTreeMap::from([
            (BUNDLE, self.bundle()),
            (AUTHORITY_KEY, self.authority_key.clone()),
            (CERTIFICATE, self.serving.certificate.clone()),
            (KEY, self.serving.key.clone()),
        ])
    }

    /// Out of what is kept. What is no key or certificate shows when it is [renewed](Self::renewed).
    pub(super) fn of_fields(field: impl Fn(&str) -> String) -> Self {
        Self {
            authorities: split(&field(BUNDLE)),
            authority_key: field(AUTHORITY_KEY),
            serving: Signed { certificate: field(CERTIFICATE), key: field(KEY) },
        }
    }
}

fn holds(pem: &str, now: Duration) -> bool {
    Facts::of_pem(BUNDLE, pem.as_bytes()).is_ok_and(|facts| facts.holds(now))
}

#[cfg(test)]
mod tests;
