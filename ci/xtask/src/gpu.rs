//! The script for real cards, on the simulated one: so that it works when a card is at hand.

use crate::command::Run;
use crate::workspace::Workspace;
use anyhow::Result;

/// Driver branches that it runs on.
const PROFILES: [&str; 2] = ["535", "550"];

/// Runs `ci/gpu/check --sim` on the staged files.
pub(crate) fn run(workspace: &Workspace, _: &[String]) -> Result<()> {
    for profile in PROFILES {
        Run::new(workspace.root().join("ci/gpu/check"))
            .arg(format!("--sim={profile}"))
            .env("VGPU_STAGE", workspace.stage())
            .env("OUT", workspace.target().join("gpu-results").join(profile))
            .run()?;
    }
    Ok(())
}
