//! How exactly compute shares hold: the harness of `benches/shares`, on a virtual clock.

use crate::command::Run;
use crate::workspace::Workspace;
use anyhow::Result;

/// Prints the table, or a part of it, and fails when a figure misses its goal.
pub(crate) fn run(workspace: &Workspace, arguments: &[String]) -> Result<()> {
    Run::cargo("run")
        .args(["--release", "--quiet", "--package", "shares", "--"])
        .args(arguments)
        .dir(workspace.root())
        .run()
}
