//! Real clients, as `cargo xtask clients` prepares them.

use crate::machine::Machine;
use crate::run::Run;
use std::io::Write;
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
    let folder = std::env::var_os("VGPU_CLIENTS").map_or_else(|| cache().join("vgpu/clients"), PathBuf::from);
    let path = folder.join(format!("nvidia-smi-{branch}/usr/lib/nvidia/current/nvidia-smi"));
    if path.is_file() {
        return Some(path);
    }
    // Past the harness, which shows what a passing test prints to nobody.
    let name = std::thread::current().name().unwrap_or_default().to_owned();
    let _ = writeln!(
        std::io::stderr(),
        "skipped {name}: {} is missing: `cargo xtask clients` fetches it",
        path.display()
    );
    None
}

fn cache() -> PathBuf {
    let home = || PathBuf::from(std::env::var_os("HOME").unwrap_or_default()).join(".cache");
    std::env::var_os("XDG_CACHE_HOME").filter(|path| !path.is_empty()).map_or_else(home, PathBuf::from)
}
