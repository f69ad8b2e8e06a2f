//! The scheduler extender's program.

#![forbid(unsafe_code)]

use std::process::ExitCode;

use anyhow::Result;
use clap::Parser;
use daemon::{log, signals};
use scheduler_ext::run;
use scheduler_ext::settings::flags::Flags;

fn main() -> ExitCode {
    let flags = Flags::parse();
    log::start(flags.log_format);
    match start(&flags) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            tracing::error!("{error:#}");
            ExitCode::FAILURE
        }
    }
}

fn start(flags: &Flags) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let result = runtime.block_on(async { run::run(flags, signals::told_to_end()?).await });
    // Not waited for: requests to an API server that does not answer.
    runtime.shutdown_background();
    result
}
