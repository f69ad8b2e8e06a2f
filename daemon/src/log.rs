//! The log, on standard error.

use clap::ValueEnum;
use tracing_subscriber::EnvFilter;

/// How the log is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people.
    Text,
    /// One object a line.
    Json,
}

/// Writes what happens from now on. The variable RUST_LOG says how much of it; without it, what people ought to know.
pub fn start(format: Format) {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("info"));
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    match format {
        Format::Text => log.with_ansi(false).init(),
        Format::Json => log.json().init(),
    }
}
