//! The first thing to see: `vgpu demo` on the simulated card. It is a check as well: what is shown is compared with what is
//! promised.

use crate::command::Run;
use crate::stage;
use crate::tools::Tools;
use crate::workspace::Workspace;
use anyhow::{Result, bail};

/// What must be said after each command that is shown.
const PROMISED: [(&str, &str); 4] = [
    ("$ vgpu run --sim -- python3 gpus.py", "81,559 MiB"),
    ("$ vgpu run --sim --memory 1Gi -- python3 gpus.py", "1,024 MiB"),
    ("$ vgpu run --sim -- fill 2048", "allocated 2048 MiB, all that was asked for"),
    ("$ vgpu run --sim --memory 1Gi -- fill 2048", "refused with CUDA_ERROR_OUT_OF_MEMORY"),
];

/// Builds everything and plays the demonstration.
pub(crate) fn run(workspace: &Workspace, _: &[String]) -> Result<()> {
    stage::run(workspace, &[])?;
    let tools = Tools::ready()?;
    let vgpu = Run::new(workspace.stage().join("bin/vgpu")).arg("demo").arg("--sim");
    let shown = vgpu.arg("--python").arg(tools.python()).stdout()?;
    print!("{shown}");
    for (command, promised) in PROMISED {
        let said = shown.split_once(&format!("{command}\n")).map(|(_, rest)| rest.split("\n$ ").next());
        if !said.flatten().is_some_and(|said| said.contains(promised)) {
            bail!("`{promised}` was to be said after `{command}`");
        }
    }
    Ok(())
}
