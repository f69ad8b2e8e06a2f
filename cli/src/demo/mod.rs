//! `vgpu demo`: programs on a whole GPU, and the same programs inside a limit.

mod client;

use std::ffi::OsString;
use std::process::{Command, ExitCode, Stdio};

use contract::Bytes;
use monitor::gpus::{GpuError, GpuSource, Nvml};

use crate::args::{DemoArgs, SimArg};
use crate::failure::Failure;
use crate::install::Install;
use crate::say::{print, reader_has_gone, say};
use client::Client;

/// Plays every program that is here, once without a limit and once inside `--memory`.
pub(crate) fn demo(args: &DemoArgs) -> Result<ExitCode, Failure> {
    let install = Install::of_this_program()?;
    let simulator = simulator(args)?;
    // More than the limit, so that it is felt.
    let wanted = Bytes(args.memory.0.saturating_mul(2));
    let dir = tempfile::tempdir()
        .map_err(|error| Failure::own(format_args!("cannot make a directory for scripts: {error}")))?;
    let clients = client::all(&install.program("fill"), args.python.as_os_str(), dir.path(), wanted);
    let mut failed = Vec::new();
    for client in &clients {
        match &client.command {
            Err(reason) => print(&format!("\n# {}: left out, {reason}\n", client.name))?,
            Ok(command) if !play(args, simulator.as_deref(), client, command)? => failed.push(client.name),
            Ok(_) => {}
        }
        // It has seen enough, and a program that could not write to it has not failed.
        if reader_has_gone() {
            return Ok(ExitCode::SUCCESS);
        }
    }
    if failed.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    say(format_args!("these programs failed: {}", failed.join(", ")));
    Ok(ExitCode::FAILURE)
}

/// The option of the simulated GPU, which is used where there is no other.
fn simulator(args: &DemoArgs) -> Result<Option<String>, Failure> {
    if let Some(profile) = args.sim.profile() {
        let is_default = profile == SimArg::DEFAULT;
        return Ok(Some(if is_default { "--sim".to_owned() } else { format!("--sim={profile}") }));
    }
    match Nvml::system().inventory() {
        Err(GpuError::NoDriver { .. }) => {
            print("There is no GPU driver here: this is the simulated GPU.\n")?;
            Ok(Some("--sim".to_owned()))
        }
        _ => Ok(None),
    }
}

/// Runs one program without a limit, then with it. Whether it succeeded both times.
fn play(
    args: &DemoArgs,
    simulator: Option<&str>,
    client: &Client,
    command: &[OsString],
) -> Result<bool, Failure> {
    print(&format!("\n# {}: the whole GPU, then {} of it\n", client.name, args.memory.human()))?;
    let limited = ["--memory".to_owned(), short(args.memory)];
    let whole = scene(simulator, &[], client, command)?;
    Ok(scene(simulator, &limited, client, command)? && whole)
}

/// Shows the command as a person would type it, and what the program says.
fn scene(
    simulator: Option<&str>,
    limit: &[String],
    client: &Client,
    command: &[OsString],
) -> Result<bool, Failure> {
    let options: Vec<&str> = simulator.into_iter().chain(limit.iter().map(String::as_str)).collect();
    print(&format!("\n$ vgpu {} -- {}\n", [&["run"], &options[..]].concat().join(" "), client.typed))?;
    let own = |error| Failure::own(format_args!("cannot run this program: {error}"));
    let mut run = Command::new(std::env::current_exe().map_err(own)?);
    run.arg("run").args(&options).arg("--").args(command).stdin(Stdio::null());
    run.status().map(|status| status.success()).map_err(own)
}

/// A size as a person would type it.
fn short(bytes: Bytes) -> String {
    let units = [("Ti", 40), ("Gi", 30), ("Mi", 20), ("Ki", 10)];
    let whole = units.iter().find(|(_, shift)| bytes.0.is_multiple_of(1 << shift));
    whole.map_or_else(|| bytes.to_string(), |(unit, shift)| format!("{}{unit}", bytes.0 >> shift))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_as_people_type_them() {
        for text in ["1Gi", "1536Mi", "3Ti", "5Ki", "1025"] {
            assert_eq!(short(contract::size::parse(text).expect("a size")), text);
        }
    }
}
