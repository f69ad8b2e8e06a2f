//! Starting the machine when it does not run.

use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};

use super::ConnectOptions;

/// Variables that describe the machine; it is started with these and no others, above all without a preloaded library.
const PASSED_ON: [&str; 4] = ["VGPU_SIM_CONFIG", "VGPU_SIM_DEVICES", "VGPU_SIM_IDLE_MS", "VGPU_SIM_FREEZE"];

/// Runs the program that sees that a machine runs at the socket, and waits for it.
///
/// # Errors
/// What that program says is wrong.
pub(super) fn start(options: &ConnectOptions, program: &Path) -> Result<(), String> {
    let named = |error: std::io::Error| {
        format!("{}: {error}: set VGPU_SIM_KERNEL to vgpu-sim-kernel", program.display())
    };
    let mut command = Command::new(program);
    command.arg("start").arg("--socket").arg(&options.socket);
    if let Some(config) = &options.config {
        command.arg("--config").arg(config);
    }
    if let Some(devices) = options.devices {
        command.arg("--devices").arg(devices.to_string());
    }
    let variables = PASSED_ON.iter().filter_map(|name| Some((name, std::env::var_os(name)?)));
    command.env_clear().envs(variables);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(named)?;
    let mut said = String::new();
    if let Some(stderr) = &mut child.stderr {
        stderr.read_to_string(&mut said).map_err(named)?;
    }
    // The exit status may be lost: an application may ignore its children, or collect all of them. The program says
    // something exactly when something is wrong.
    let _ = child.wait();
    if said.is_empty() { Ok(()) } else { Err(said.trim_end().to_owned()) }
}
