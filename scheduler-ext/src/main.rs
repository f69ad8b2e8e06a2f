//! The scheduler extender's program.

#![forbid(unsafe_code)]

use std::process::ExitCode;

use anyhow::Result;
use clap::Parser;
use daemon::{log, signals};
use scheduler_ext::run;
use scheduler_ext::settings::flags::Flags;
use tokio::runtime::Builder;

/// Threads for all but kube-scheduler's questions: one takes over while another has a long list.
const BACKGROUND: usize = 2;

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

/// Kube-scheduler is answered on this thread, and its questions are handed to no other. Lists, reviews and whatever else takes its time
/// have threads of their own, so that they do not keep it waiting.
fn start(flags: &Flags) -> Result<()> {
    let desk = Builder::new_current_thread().enable_all().build()?;
    let background = Builder::new_multi_thread().worker_threads(BACKGROUND).enable_all().build()?;
    let result = desk.block_on(async { run::run(flags, background.handle(), signals::told_to_end()?).await });
    // Not waited for: requests to an API server that does not answer.
    desk.shutdown_background();
    background.shutdown_background();
    result
}
