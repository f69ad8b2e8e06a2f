//! `report`: interposers beside each other and beside nothing, on the same work in the same run, by the metric identifiers of
//! GPU-Virt-Bench and with measurements of our own.
//!
//! `report work NAME COUNT` is the measured program, which `report` starts.

#![forbid(unsafe_code)]

mod document;
mod figure;
mod goal;
mod measure;
mod metric;
mod metrics;
mod options;
mod output;

use anyhow::Result;
use benches::work;
use clap::Parser;
use goal::Verdict;
use options::{Command, Options};
use std::process::ExitCode;

/// An interposer misses a goal.
const MISSED: u8 = 1;
/// An argument is wrong, as clap says it too, or nothing could be measured or written.
const FAILED: u8 = 2;

fn main() -> ExitCode {
    answer(Options::parse()).unwrap_or_else(|error| {
        eprintln!("report: {error:#}");
        ExitCode::from(FAILED)
    })
}

fn answer(options: Options) -> Result<ExitCode> {
    match options.command {
        Some(Command::Work { name, count }) => work::run(name.parse()?, count)?,
        None if options.list => output::table::list(&metrics::all()),
        None => {
            options.out.as_deref().map_or(Ok(()), output::prepare)?;
            let document = measure::run(&options)?;
            output::write(&document, options.out.as_deref())?;
            // What is measured in a moment shows that the report works, and judges nobody.
            if !options.quick && document.count(Verdict::Missed) > 0 {
                return Ok(ExitCode::from(MISSED));
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}
