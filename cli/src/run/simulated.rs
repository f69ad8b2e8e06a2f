//! What is done with the simulated machine before a command runs on it.

use std::env;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::args::RunArgs;
use crate::failure::Failure;
use crate::install::Install;

/// The program that is the machine, which the simulated driver finds by the same variable.
const PROGRAM: &str = "vgpu-sim-kernel";
const PROGRAM_VARIABLE: &str = "VGPU_SIM_KERNEL";

/// Freezes the use that the machine of `--sim` tells, where `--sim-freeze` asks for it. The machine is started for that.
///
/// # Errors
/// Without `--sim`: a real GPU tells its own use. When the machine cannot be started it has said why.
pub(super) fn freeze(args: &RunArgs, install: &Install) -> Result<(), Failure> {
    let Some(frozen) = args.sim_freeze else { return Ok(()) };
    let Some(profile) = args.sim.profile() else {
        return Err(Failure::usage(format_args!(
            "--sim-freeze {frozen}: only the simulated GPU can be frozen; add --sim, or leave this out"
        )));
    };
    let given = env::var_os(PROGRAM_VARIABLE).filter(|path| !path.is_empty()).map(PathBuf::from);
    let program = given.unwrap_or_else(|| install.program(PROGRAM));
    let mut start = Command::new(&program);
    start.args(["start", "--profile", profile, "--freeze", &frozen.to_string()]);
    match start.stdin(Stdio::null()).stdout(Stdio::null()).status() {
        Ok(status) if status.success() => Ok(()),
        Ok(_) => Err(Failure::own("the simulated GPU did not start; the line above says why")),
        Err(error) => Err(Failure::own(format_args!(
            "cannot start the simulated GPU: {}: {error}; install it, or set {PROGRAM_VARIABLE} to its path",
            program.display()
        ))),
    }
}
