//! Formatting, lints and API documentation.

use crate::command::Run;
use crate::workspace::Workspace;
use anyhow::Result;

/// Fails on a file that rustfmt would change.
pub(crate) fn fmt(workspace: &Workspace, _: &[String]) -> Result<()> {
    Run::cargo("fmt").args(["--all", "--check"]).dir(workspace.root()).run()
}

/// Fails on any warning of the compiler or clippy.
pub(crate) fn clippy(workspace: &Workspace, _: &[String]) -> Result<()> {
    Run::cargo("clippy")
        .args(["--workspace", "--all-targets", "--", "-D", "warnings"])
        .dir(workspace.root())
        .run()
}

/// Fails on a broken link or a malformed doc comment, also in private items: they are what contributors read. So links to
/// them are fine everywhere.
pub(crate) fn docs(workspace: &Workspace, _: &[String]) -> Result<()> {
    Run::cargo("doc")
        .args(["--workspace", "--no-deps", "--document-private-items"])
        .env("RUSTDOCFLAGS", "-D warnings -A rustdoc::private_intra_doc_links")
        .dir(workspace.root())
        .run()
}
