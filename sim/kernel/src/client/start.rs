//! Starting the machine when it does not run.

use std::fs::File;
use std::io::{self, Read, Seek};
use std::path::Path;
use std::process::{Command, Stdio};

use rustix::fs::{MemfdFlags, memfd_create};

use super::ConnectOptions;

/// Variables that describe the machine; it is started with these and no others, above all without a preloaded library.
const PASSED_ON: [&str; 4] = ["VGPU_SIM_CONFIG", "VGPU_SIM_DEVICES", "VGPU_SIM_IDLE_MS", "VGPU_SIM_FREEZE"];

/// Runs the program that sees that a machine runs at the socket, and waits for it.
///
/// What it says goes to a file in memory, not to a pipe: another thread of the application may fork meanwhile, and the
/// child would hold the pipe open, so that its end never came.
///
/// # Errors
/// What that program says is wrong.
pub(super) fn start(options: &ConnectOptions, program: &Path) -> Result<(), String> {
    let named =
        |error: io::Error| format!("{}: {error}: set VGPU_SIM_KERNEL to vgpu-sim-kernel", program.display());
    let mut said = File::from(
        memfd_create(c"vgpu-sim-start", MemfdFlags::CLOEXEC).map_err(io::Error::from).map_err(named)?,
    );
    let mut child = command(options, program)
        .and_then(|mut command| command.stderr(Stdio::from(said.try_clone()?)).spawn())
        .map_err(named)?;
    // The exit status may be lost: an application may ignore its children, or collect all of them. The program says
    // something exactly when something is wrong.
    let _ = child.wait();
    let mut text = String::new();
    said.rewind().and_then(|()| said.read_to_string(&mut text)).map_err(named)?;
    if text.is_empty() { Ok(()) } else { Err(text.trim_end().to_owned()) }
}

/// The command, with an absolute path: the standard library then starts it without a pipe of its own.
fn command(options: &ConnectOptions, program: &Path) -> io::Result<Command> {
    let mut command = Command::new(std::path::absolute(program)?);
    command.arg("start").arg("--socket").arg(&options.socket);
    if let Some(config) = &options.config {
        command.arg("--config").arg(config);
    }
    if let Some(devices) = options.devices {
        command.arg("--devices").arg(devices.to_string());
    }
    let variables = PASSED_ON.iter().filter_map(|name| Some((name, std::env::var_os(name)?)));
    command.env_clear().envs(variables);
    command.stdin(Stdio::null()).stdout(Stdio::null());
    Ok(command)
}
