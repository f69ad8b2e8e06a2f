//! Real clients, as `cargo xtask clients` prepares them.

use crate::clients::file;
use crate::machine::Machine;
use crate::run::Run;
use std::path::PathBuf;

/// The real nvidia-smi of this branch on `machine`, not preloaded. `None` where it is not here, and then the test says so.
pub(crate) fn nvidia_smi(machine: &Machine, branch: &str, arguments: &[&str]) -> Option<Run> {
    run(machine, branch, arguments, Run::natively)
}

/// The same with the library in front of it.
pub(crate) fn preloaded_nvidia_smi(machine: &Machine, branch: &str, arguments: &[&str]) -> Option<Run> {
    run(machine, branch, arguments, Run::preloaded)
}

fn run(machine: &Machine, branch: &str, arguments: &[&str], how: fn(PathBuf) -> Run) -> Option<Run> {
    let run = machine.on(how(path(branch)?));
    Some(arguments.iter().fold(run, |run, argument| run.arg(argument)))
}

/// Where nvidia-smi of this branch is.
pub(crate) fn path(branch: &str) -> Option<PathBuf> {
    file(&format!("nvidia-smi-{branch}/usr/lib/nvidia/current/nvidia-smi"))
}
