//! The vgpu command.

#![forbid(unsafe_code)]

mod args;
mod elf;
mod failure;
mod install;
mod run;
mod say;

use std::process::ExitCode;

use args::{Args, Command};

fn main() -> ExitCode {
    let Args { command } = match args::parse() {
        Ok(args) => args,
        Err(status) => return status,
    };
    let Command::Run(args) = command;
    match run::run(&args) {
        Ok(ended) => ended.pass_on(),
        Err(failure) => {
            say::say(&failure);
            failure.status()
        }
    }
}
