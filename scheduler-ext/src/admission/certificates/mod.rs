//! The certificate that the webhook serves with: one that somebody puts into a directory ([`files`]), or one of its own that all
//! replicas share ([`own`]). Either is replaced while connections come in ([`served`]).

mod authority;
mod configurations;
pub mod files;
pub mod keyring;
pub mod own;
mod read;
mod secret;
pub mod served;

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The time, in seconds since 1970.
fn now() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}

/// A certificate or key cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum CertificateError {
    /// It cannot be made, or signed with.
    #[error("a certificate cannot be made: {0}")]
    Make(#[from] rcgen::Error),
    /// It is not in PEM, or there is none.
    #[error("{what} cannot be read: {why}")]
    Read {
        /// Whose, by the name of the file or field.
        what: &'static str,
        /// Why not.
        why: String,
    },
    /// The key is another certificate's, or of a kind that cannot be used.
    #[error("certificate and key cannot be used: {0}")]
    Use(#[from] tokio_rustls::rustls::Error),
}
