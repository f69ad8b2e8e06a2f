//! The node agent's program.

#![forbid(unsafe_code)]

use std::convert::Infallible;
use std::process::ExitCode;

use anyhow::Result;
use clap::Parser;
use daemon::{log, signals};
use plugin::settings::flags::{Command, Flags};
use plugin::{agent, uninstall};

fn main() -> ExitCode {
    let flags = Flags::parse();
    log::start(flags.log_format);
    match run(&flags) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            tracing::error!("{error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(flags: &Flags) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let result = runtime.block_on(async {
        let end = signals::told_to_end()?;
        tokio::select! {
            done = work(flags) => done,
            // Kubelet sees that the socket is closed, and gives out no more devices.
            () = end => Ok(()),
        }
    });
    // Not waited for: what may hang in a driver or on a disk.
    runtime.shutdown_background();
    result
}

async fn work(flags: &Flags) -> Result<()> {
    match flags.command {
        None => agent::run(flags).await.map(|never: Infallible| match never {}),
        Some(Command::Uninstall { force }) => uninstall::run(flags, force).await,
    }
}
