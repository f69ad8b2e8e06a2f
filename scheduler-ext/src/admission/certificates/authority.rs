//! Signing with an authority of our own.

use std::time::Duration;

use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
    KeyUsagePurpose, PublicKeyData, date_time_ymd,
};

use super::CertificateError;

/// How long an authority is valid.
pub(super) const AUTHORITY: Duration = Duration::from_secs(3652 * DAY);

/// How long a serving certificate is.
pub(super) const SERVING: Duration = Duration::from_secs(90 * DAY);

/// Clocks of API servers may be behind ours by so much.
const SKEW: Duration = Duration::from_secs(3600);

const DAY: u64 = 24 * 60 * 60;

/// A certificate and its key, in PEM.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Signed {
    pub certificate: String,
    pub key: String,
}

/// A new authority.
pub(super) fn make(now: Duration) -> Result<Signed, CertificateError> {
    // Each has a name of its own, so that it is clear who signed what.
    let name = format!("vgpu webhook authority of {}", now.as_secs());
    let mut of = CertificateParams::new(Vec::new())?;
    of.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    of.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::DigitalSignature];
    let of = valid(of, &name, now, AUTHORITY);
    let key = KeyPair::generate()?;
    Ok(Signed { certificate: of.self_signed(&key)?.pem(), key: key.serialize_pem() })
}

/// A certificate for a server of these names, signed by `authority`.
pub(super) fn sign(authority: &Signed, names: &[String], now: Duration) -> Result<Signed, CertificateError> {
    let issuer = Issuer::from_ca_cert_pem(&authority.certificate, KeyPair::from_pem(&authority.key)?)?;
    let mut of = CertificateParams::new(names)?;
    of.use_authority_key_identifier_extension = true;
    of.key_usages = vec![KeyUsagePurpose::DigitalSignature];
    of.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    let of = valid(of, "vgpu webhook", now, SERVING);
    let key = KeyPair::generate()?;
    Ok(Signed { certificate: of.signed_by(&key, &issuer)?.pem(), key: key.serialize_pem() })
}

/// The public key that belongs to a private one in PEM, as it stands in certificates.
pub(super) fn public(key: &str) -> Option<Vec<u8>> {
    KeyPair::from_pem(key).ok().map(|key| key.subject_public_key_info())
}

fn valid(mut of: CertificateParams, name: &str, now: Duration, during: Duration) -> CertificateParams {
    of.distinguished_name = rcgen::DistinguishedName::new();
    of.distinguished_name.push(DnType::CommonName, name);
    let start = date_time_ymd(1970, 1, 1);
    of.not_before = start + now.saturating_sub(SKEW);
    of.not_after = start + now + during;
    of
}
