//! The network between nodes: batches for `ip` in `ci/kube/network`.

use crate::run::run;
use crate::sources;
use anyhow::Result;
use std::process::Command;

/// Plays a batch in the current network namespace.
pub(crate) fn play(batch: &str) -> Result<()> {
    run(Command::new("ip").arg("-batch").arg(sources::path("network").join(batch))).map(drop)
}
