//! The vgpu command.

#![forbid(unsafe_code)]

mod args;
mod cluster;
mod demo;
mod doctor;
mod elf;
mod failure;
mod install;
mod limits;
mod ps;
mod run;
mod say;
mod show;
mod top;

use std::io;
use std::process::ExitCode;
use std::sync::Arc;

use signal_hook::consts::SIGCHLD;
use signal_hook::flag;

use args::{Args, Command};
use failure::Failure;

fn main() -> ExitCode {
    let Args { command } = match args::parse() {
        Ok(args) => args,
        Err(status) => return status,
    };
    let done = wait_for_children()
        .map_err(|error| Failure::own(format_args!("cannot catch SIGCHLD: {error}")))
        .and_then(|()| carry_out(&command));
    done.unwrap_or_else(|failure| {
        say::say(&failure);
        failure.status()
    })
}

/// Makes this process one whose children can be waited for. One that was started with SIGCHLD ignored, as some daemons do, would
/// never learn how they end. Whoever is run from here gets the signal's default again.
fn wait_for_children() -> io::Result<()> {
    flag::register(SIGCHLD, Arc::default()).map(drop)
}

fn carry_out(command: &Command) -> Result<ExitCode, Failure> {
    match command {
        Command::Run(args) => run::run(args).map(run::Ended::pass_on),
        Command::Ps(args) => ps::ps(args).map(|()| ExitCode::SUCCESS),
        Command::Top(args) => top::top(args).map(|()| ExitCode::SUCCESS),
        Command::Limits(args) => limits::limits(args).map(|()| ExitCode::SUCCESS),
        Command::Doctor(args) => doctor::doctor(args),
        Command::Explain(args) => cluster::explain(args).map(|()| ExitCode::SUCCESS),
        Command::Nodes(args) => cluster::nodes(args).map(|()| ExitCode::SUCCESS),
        Command::Demo(args) => demo::demo(args),
    }
}
