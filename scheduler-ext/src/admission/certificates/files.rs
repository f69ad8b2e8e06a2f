//! A certificate that somebody else renews: cert-manager, or whoever fills a Secret that is mounted.
//!
//! The content is looked at, not the files: a mounted Secret is swapped by a link above them, of which no watch on them tells.

use std::convert::Infallible;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tokio::task::spawn_blocking;
use tokio::time::sleep;

use super::CertificateError;
use super::served::{Certified, Served};

/// Between two looks.
const EVERY: Duration = Duration::from_secs(30);

/// Between two looks while what is there cannot be used: it may just be swapped.
const SOON: Duration = Duration::from_secs(1);

/// Serves with `tls.crt` and `tls.key` of this directory, also when they change, for ever.
pub async fn follow(directory: PathBuf, served: Arc<Served>) -> Infallible {
    let mut seen = None;
    let mut said = String::new();
    loop {
        let path = directory.clone();
        let found = spawn_blocking(move || Pair::read(&path)).await.map_err(|error| error.to_string());
        let pause = match found.and_then(|found| found.and_then(|pair| pair.news(seen.as_ref()))) {
            Ok(None) => EVERY,
            Ok(Some((pair, certified))) => {
                served.set(certified);
                tracing::info!(directory = %directory.display(), "the webhook has a certificate");
                seen = Some(pair);
                said.clear();
                EVERY
            }
            Err(error) => {
                if said != error {
                    tracing::warn!(directory = %directory.display(), error, "the webhook's certificate cannot be used");
                    said = error;
                }
                SOON
            }
        };
        sleep(pause).await;
    }
}

/// What is in the two files.
#[derive(Clone, PartialEq, Eq)]
struct Pair {
    chain: Vec<u8>,
    key: Vec<u8>,
}

impl Pair {
    fn read(directory: &Path) -> Result<Self, String> {
        let read = |name: &str| {
            std::fs::read(directory.join(name)).map_err(|error| format!("{name} cannot be read: {error}"))
        };
        Ok(Self { chain: read("tls.crt")?, key: read("tls.key")? })
    }

    /// What to serve with, where that is not what was seen last.
    fn news(self, seen: Option<&Self>) -> Result<Option<(Self, Certified)>, String> {
        if seen == Some(&self) {
            return Ok(None);
        }
        let certified = Certified::read(&self.chain, &self.key);
        certified
            .map(|certified| Some((self, certified)))
            .map_err(|error: CertificateError| error.to_string())
    }
}
