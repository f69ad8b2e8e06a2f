//! The vgpu command.

#![forbid(unsafe_code)]

mod args;
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

use std::process::ExitCode;

use args::{Args, Command};
use failure::Failure;

fn main() -> ExitCode {
    let Args { command } = match args::parse() {
        Ok(args) => args,
        Err(status) => return status,
    };
    carry_out(&command).unwrap_or_else(|failure| {
        say::say(&failure);
        failure.status()
    })
}

fn carry_out(command: &Command) -> Result<ExitCode, Failure> {
    match command {
        Command::Run(args) => run::run(args).map(run::Ended::pass_on),
        Command::Ps(args) => ps::ps(args).map(|()| ExitCode::SUCCESS),
        Command::Top(args) => top::top(args).map(|()| ExitCode::SUCCESS),
        Command::Limits(args) => limits::limits(args).map(|()| ExitCode::SUCCESS),
        Command::Doctor(args) => doctor::doctor(args),
        Command::Demo(args) => demo::demo(args),
    }
}
