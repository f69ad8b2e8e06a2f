//! How exactly compute shares hold: the harness of `benches/shares`, on a virtual clock.

use crate::command::Run;
use crate::workspace::Workspace;
use anyhow::Result;

/// The page that has the table.
const PAGE: &str = "docs/compute-shares.md";

/// Prints the table, or a part of it, and fails when a figure misses its goal, or is not what the page says.
pub(crate) fn run(workspace: &Workspace, arguments: &[String]) -> Result<()> {
    Run::cargo("run")
        .args(["--release", "--quiet", "--package", "shares", "--", PAGE])
        .args(arguments)
        .dir(workspace.root())
        .run()
}
