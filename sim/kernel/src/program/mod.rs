//! The program `vgpu-sim-kernel`.

mod arguments;
mod config;
mod disturb;
mod serve;
mod start;
mod truth;

use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

use arguments::{Arguments, Command};

/// Runs the program with the arguments that follow its name. Says nothing when all is well; else one line on standard
/// error, and the exit code is 1, or 2 for arguments that make no sense.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let parsed = match Arguments::parse(arguments) {
        Ok(parsed) => parsed,
        Err(message) => return fail(&message, ExitCode::from(2)),
    };
    let result = match parsed.command {
        Command::Start => start::run(&parsed),
        Command::Serve => serve::run(&parsed),
        Command::Truth => truth::run(&parsed),
        Command::Watch => truth::watch(&parsed),
        Command::Disturb => disturb::run(&parsed),
    };
    result.map_or_else(|message| fail(&message, ExitCode::FAILURE), |()| ExitCode::SUCCESS)
}

fn fail(message: &str, code: ExitCode) -> ExitCode {
    // Nobody is left to tell when standard error cannot be written.
    let _ = writeln!(std::io::stderr(), "vgpu-sim-kernel: {message}");
    code
}
