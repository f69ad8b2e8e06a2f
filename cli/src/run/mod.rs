//! `vgpu run`: a command inside a slice.

mod environment;
mod forward;
pub(crate) mod overcommit;
pub(crate) mod refusal;
mod select;
mod shares;
mod simulated;
mod supervise;
pub(crate) mod target;

use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use contract::env::Priority;
use contract::limits_page::{Entry, Page};
use contract::paths;
use monitor::gpus::{Gpu, GpuError, GpuSource, Inventory, NVML_LIBRARY, Nvml};
use monitor::runs::{Run, Runs, RunsError};

use crate::args::{RunArgs, SimArg};
use crate::failure::Failure;
use crate::install::Install;
use crate::say::warn;
pub(crate) use select::is_meant;
pub(crate) use shares::needs_owner;
pub(crate) use supervise::Ended;

/// A limit of fewer bytes is a number whose unit was forgotten.
const SMALLEST: u64 = 1 << 20;

/// Runs the command to its end.
pub(crate) fn run(args: &RunArgs) -> Result<Ended, Failure> {
    outside_of_slices()?;
    let install = Install::of_this_program()?;
    let library = install.library(env::var_os(contract::env::LIBRARY))?;
    let simulator = args.sim.profile().map(|profile| install.simulator(profile)).transpose()?;
    profile_is_no_command(&args.sim, &args.command[0], &install)?;
    simulated::freeze(args, &install)?;
    let inventory = inventory(simulator.as_deref())?;
    let gpus = select::select(&args.gpus, &inventory)?;
    let priority = shares::priority(args)?;
    let runs = Runs::open(runtime_dir().as_deref()).map_err(no_place)?;
    let slice = start(args, priority, &runs, &gpus)?;
    let applicant = shares::applicant(args, priority, &slice, runs)?;
    let mut command = Command::new(&args.command[0]);
    command.args(&args.command[1..]);
    command.envs(environment::of(&slice, &library, simulator.as_deref(), |name| env::var_os(name))?);
    if let Some(obstacle) = target::obstacle(&args.command[0], env::var_os("PATH").as_deref()) {
        warn(obstacle);
    }
    supervise::supervise(command, applicant)
}

/// A slice inside a slice would count its memory apart from the outer one.
fn outside_of_slices() -> Result<(), Failure> {
    let node = Path::new(paths::LIMITS_DIR);
    if paths::limits_file(node).exists() {
        let node = node.display();
        return Err(Failure::own(format_args!(
            "the limits of this container are set by its node ({node}) and cannot be divided further; start the command \
             without vgpu run"
        )));
    }
    match env::var_os(contract::env::LIMITS_DIR).map(PathBuf::from) {
        Some(outer) if paths::limits_file(&outer).exists() => Err(Failure::own(format_args!(
            "already inside a slice ({}={}), which cannot be divided further; start the command without vgpu run",
            contract::env::LIMITS_DIR,
            outer.display()
        ))),
        _ => Ok(()),
    }
}

/// `--sim 535` would run a command `535`: an optional value has to be joined to its option.
pub(crate) fn profile_is_no_command(sim: &SimArg, command: &OsStr, install: &Install) -> Result<(), Failure> {
    let profile = command.to_str().filter(|name| install.profiles().iter().any(|known| known == name));
    match profile {
        Some(profile)
            if sim.profile().is_some() && target::find(command, env::var_os("PATH").as_deref()).is_none() =>
        {
            Err(Failure::usage(format_args!(
                "--sim {profile}: the profile follows an equals sign: write --sim={profile}"
            )))
        }
        _ => Ok(()),
    }
}

fn inventory(simulator: Option<&Path>) -> Result<Inventory, Failure> {
    let nvml = simulator.map_or_else(Nvml::system, |dir| Nvml::at(dir.join(NVML_LIBRARY)));
    nvml.inventory().map_err(|error| match error {
        GpuError::NoDriver { .. } if simulator.is_none() => {
            Failure::own(format_args!("{error}; use --sim for a simulated GPU"))
        }
        GpuError::Refused { .. } if simulator.is_some() => {
            Failure::own(format_args!("the simulated GPU did not start; the line above says why ({error})"))
        }
        other => Failure::own(other),
    })
}

fn no_place(error: RunsError) -> Failure {
    match error {
        RunsError::Io { .. } => Failure::own(format_args!(
            "{error}; make room there, or set XDG_RUNTIME_DIR to a directory of yours that nobody else may write"
        )),
        RunsError::NotPrivate { .. } => Failure::own(error),
    }
}

/// Where this session keeps what ends with it; running slices are in there.
pub(crate) fn runtime_dir() -> Option<PathBuf> {
    env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from)
}

/// Makes the slice's directory, and says what there is to say about it.
fn start(args: &RunArgs, priority: Priority, runs: &Runs, gpus: &[&Gpu]) -> Result<Run, Failure> {
    let entry = |gpu: &&Gpu| Entry {
        uuid: gpu.uuid,
        memory: args.memory_limit(),
        cores: args.cores,
        policy: args.policy,
        priority,
    };
    let page = Page::new(gpus.iter().map(entry).collect()).map_err(Failure::own)?;
    let slice = runs.start(&page).map_err(no_place)?;
    slice.note_gpus(gpus).map_err(no_place)?;
    if args.cores.is_none() && args.memory_limit().is_none() {
        return Ok(slice);
    }
    let live = runs.live().map_err(Failure::own)?;
    if args.cores.is_some() {
        overcommit::of_time(gpus, &live).iter().for_each(warn);
    }
    if let Some(limit) = args.memory_limit() {
        if limit.0 < SMALLEST {
            warn(format_args!(
                "--memory is {limit} bytes, too little for any program; a unit follows the number, as in 8g"
            ));
        }
        overcommit::of_memory(gpus, &live).iter().for_each(warn);
    }
    Ok(slice)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io;

    #[test]
    fn a_place_that_cannot_be_written_is_named_with_the_way_out() {
        let source = io::Error::from(io::ErrorKind::ReadOnlyFilesystem);
        let said = no_place(RunsError::Io { path: "/dev/shm/vgpu-run-0".into(), source }).to_string();
        assert!(said.starts_with("/dev/shm/vgpu-run-0: read-only filesystem"), "{said}");
        assert!(said.contains("set XDG_RUNTIME_DIR to a directory of yours"), "{said}");
    }
}
