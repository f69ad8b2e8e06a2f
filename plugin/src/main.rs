//! The node agent's program.

#![forbid(unsafe_code)]

use std::convert::Infallible;
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::Parser;
use plugin::settings::flags::{Command, Flags, LogFormat};
use plugin::{agent, uninstall};
use tokio::signal::unix::{SignalKind, signal};
use tracing_subscriber::EnvFilter;

fn main() -> ExitCode {
    let flags = Flags::parse();
    start_log(flags.log_format);
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
        tokio::select! {
            done = work(flags) => done,
            ended = told_to_end() => ended,
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

/// Waits for the signal to end. Kubelet sees that the socket is closed, and gives out no more devices.
async fn told_to_end() -> Result<()> {
    let listen = |kind| signal(kind).context("cannot listen for signals");
    let (mut terminate, mut interrupt) = (listen(SignalKind::terminate())?, listen(SignalKind::interrupt())?);
    tokio::select! { _ = terminate.recv() => {}, _ = interrupt.recv() => {} }
    tracing::info!("told to end");
    Ok(())
}

fn start_log(format: LogFormat) {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("info"));
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    match format {
        LogFormat::Text => log.with_ansi(false).init(),
        LogFormat::Json => log.json().init(),
    }
}
