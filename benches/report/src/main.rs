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
use options::{Command, Options};
use std::process::ExitCode;

fn main() -> ExitCode {
    match answer(Options::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("report: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn answer(options: Options) -> Result<()> {
    match options.command {
        Some(Command::Work { name, count }) => work::run(name.parse()?, count),
        None if options.list => {
            output::table::list(&metrics::all());
            Ok(())
        }
        None => {
            options.out.as_deref().map_or(Ok(()), output::prepare)?;
            output::write(&measure::run(&options)?, options.out.as_deref())
        }
    }
}
