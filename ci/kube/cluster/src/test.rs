//! The tests of the cluster: ordinary integration tests, run inside of its namespaces.

use crate::folder::Folder;
use crate::start::{Lifetime, Size, up};
use crate::{down, namespaces};
use anyhow::{Context, Result, bail};
use std::process::Command;

/// A test program that needs a cluster.
struct Suite {
    package: &'static str,
    test: &'static str,
    size: Size,
}

/// Every one. They skip themselves when they are run outside of a cluster, as `cargo test --workspace` does.
const SUITES: [Suite; 5] = [
    Suite { package: "kube-harness", test: "cluster", size: Size::One },
    Suite { package: "kube-harness", test: "restarts", size: Size::One },
    Suite { package: "plugin", test: "cluster", size: Size::One },
    Suite { package: "kube-harness", test: "nodes", size: Size::Two },
    Suite { package: "scheduler-ext", test: "cluster", size: Size::Two },
];

/// Runs those that fit on the cluster that is up, or all, on clusters that last as long as they do. Arguments are for
/// `cargo test`.
///
/// # Errors
/// A test fails, or there is no cluster to run it on.
pub fn test(folder: &Folder, arguments: &[String]) -> Result<()> {
    if namespaces::first_process(folder)?.is_some() {
        let size = if folder.group("node-2").exists() { Size::Two } else { Size::One };
        println!("on the cluster that is up; `cargo xtask kube down` ends it");
        return cargo(folder, size, arguments);
    }
    for size in [Size::One, Size::Two] {
        // First, since a cluster that waits for a compiler would be slow and wasted.
        cargo(folder, size, &["--no-run".to_owned()])?;
        up(folder, size, Lifetime::OfThisProcess)?;
        let result = cargo(folder, size, arguments);
        down(folder)?;
        result.with_context(|| format!("what the services said is in {}", folder.logs().display()))?;
    }
    Ok(())
}

/// Runs the suites for a cluster of this size.
fn cargo(folder: &Folder, size: Size, arguments: &[String]) -> Result<()> {
    let mut words = vec!["test", "--no-fail-fast"];
    for suite in SUITES.iter().filter(|suite| suite.size == size) {
        words.extend(["--package", suite.package, "--test", suite.test]);
    }
    inside(folder, &words, arguments)
}

/// Runs cargo, and the programs that it starts in the cluster's namespaces.
pub(crate) fn inside(folder: &Folder, words: &[&str], arguments: &[String]) -> Result<()> {
    let own = std::env::current_exe().context("cannot tell which program this is")?;
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    // Cargo splits the runner's words at spaces.
    let runner = format!("{} {} enter", own.display(), folder.path().display());
    command.env("CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER", runner).args(words).args(arguments);
    let status = command.status().context("cannot start cargo")?;
    if !status.success() {
        bail!("cargo {} in the cluster: {status}", words[0]);
    }
    Ok(())
}
