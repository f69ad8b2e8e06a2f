//! The build cache of CI.

use crate::command::Run;
use crate::workspace::Workspace;
use anyhow::Result;

/// Plays two checkouts on one cache.
pub(crate) fn run(workspace: &Workspace, _: &[String]) -> Result<()> {
    Run::new(workspace.root().join("ci/cache/check")).run()
}
