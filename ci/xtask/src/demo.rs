//! The first thing to see: an NVML client and a CUDA program, first on a whole simulated card, then inside 1 GiB of it.
//! It is a check as well: what is shown is compared with what is promised.

use crate::command::Run;
use crate::stage;
use crate::tools::Tools;
use crate::workspace::Workspace;
use anyhow::{Result, bail};

/// How much of the card a scene may use, and what its two programs must then say.
struct Scene {
    caption: &'static str,
    options: &'static [&'static str],
    client_says: &'static str,
    program_says: &'static str,
}

const SCENES: [Scene; 2] = [
    Scene {
        caption: "The whole card. A program asks for 2 GiB and gets it.",
        options: &["--sim"],
        client_says: "81,559 MiB",
        program_says: "allocated 2048 MiB, all that was asked for",
    },
    Scene {
        caption: "The same programs inside 1 GiB of it. The context counts too, and the rest is all there is.",
        options: &["--sim", "--memory", "1Gi"],
        client_says: "1,024 MiB",
        program_says: "refused with CUDA_ERROR_OUT_OF_MEMORY",
    },
];

/// Builds everything and plays the scenes.
pub(crate) fn run(workspace: &Workspace, _: &[String]) -> Result<()> {
    stage::run(workspace, &[])?;
    let tools = Tools::ready()?;
    let client = workspace.root().join("ci/demo/gpus.py");
    let program = workspace.stage().join("bin/fill");
    for scene in &SCENES {
        println!("\n# {}", scene.caption);
        let python = |run: Run| run.arg(tools.python()).arg(&client);
        show(workspace, scene, "python3 gpus.py", scene.client_says, python)?;
        show(workspace, scene, "fill 2048", scene.program_says, |run| run.arg(&program).arg("2048"))?;
    }
    Ok(())
}

/// Runs one program under `vgpu run`, shows the command as a person would type it and what the program says.
fn show(
    workspace: &Workspace,
    scene: &Scene,
    typed: &str,
    expected: &str,
    command: impl FnOnce(Run) -> Run,
) -> Result<()> {
    println!("\n$ vgpu run {} -- {typed}", scene.options.join(" "));
    let vgpu = Run::new(workspace.stage().join("bin/vgpu")).arg("run").args(scene.options).arg("--");
    let output = command(vgpu).stdout()?;
    print!("{output}");
    if !output.contains(expected) {
        bail!("`{expected}` was to be said here");
    }
    Ok(())
}
