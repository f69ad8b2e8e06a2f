//! What the library costs: the programs of `benches`, run from the stage.

use crate::command::Run;
use crate::stage;
use crate::workspace::Workspace;
use anyhow::Result;

/// Prints the table of times beside the driver alone. Nothing fails by the clock.
pub(crate) fn bench(workspace: &Workspace, _: &[String]) -> Result<()> {
    overhead(workspace, "table", &[])
}

/// Compares the instructions of each call with the recorded ones; `--record` writes them.
pub(crate) fn counts(workspace: &Workspace, arguments: &[String]) -> Result<()> {
    overhead(workspace, "counts", arguments)
}

/// Compares interposers, by the program that does so, whose exit status says whether a goal is missed.
pub(crate) fn report(workspace: &Workspace, arguments: &[String]) -> Result<()> {
    stage::run(workspace, &[])?;
    Run::new(workspace.stage().join("bin/report")).args(arguments).run_and_pass_on()
}

fn overhead(workspace: &Workspace, command: &str, arguments: &[String]) -> Result<()> {
    stage::run(workspace, &[])?;
    let record = workspace.root().join("benches/counts.tsv");
    Run::new(workspace.stage().join("bin/overhead"))
        .arg(command)
        .args(arguments)
        .env("VGPU_COUNTS", record)
        .run()
}
