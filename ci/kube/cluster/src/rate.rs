//! How fast pods are placed, on a cluster that is there for nothing else.

use crate::folder::Folder;
use crate::start::{Lifetime, Size, up};
use crate::test::inside;
use crate::{down, namespaces};
use anyhow::{Context, Result, bail};

const BENCH: [&str; 5] = ["bench", "--package", "scheduler-ext", "--bench", "rate"];

/// A look at whether all is well, and not how fast it is: what other tests have built will do, and few nodes and pods.
const QUICK: [&str; 2] = ["--profile", "dev"];
const FEW: [&str; 4] = ["--nodes", "300", "--pods", "300"];

/// Starts a cluster, measures, and takes it down. Arguments are for the bench, or `--quick`.
///
/// # Errors
/// A cluster is up, it does not start, or a goal is missed.
pub fn rate(folder: &Folder, arguments: &[String]) -> Result<()> {
    let is_quick = arguments == ["--quick"];
    let bench = if is_quick { [&BENCH[..], &QUICK].concat() } else { BENCH.to_vec() };
    let arguments = if is_quick { FEW.map(str::to_owned).to_vec() } else { arguments.to_vec() };
    if namespaces::first_process(folder)?.is_some() {
        bail!("a cluster is up, whose services would be stopped; `cargo xtask kube down` ends it");
    }
    // First, since a cluster that waits for a compiler would be slow and wasted.
    inside(folder, &bench, &["--no-run".to_owned()])?;
    up(folder, Size::One, Lifetime::OfThisProcess)?;
    let result = inside(folder, &bench, &[vec!["--".to_owned()], arguments].concat());
    down(folder)?;
    result.with_context(|| format!("what the services said is in {}", folder.logs().display()))
}
