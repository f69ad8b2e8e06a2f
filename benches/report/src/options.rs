//! The command line.

use benches::work::Place;
use clap::{Parser, Subcommand, ValueEnum};
use std::num::{NonZeroU32, NonZeroUsize};
use std::path::PathBuf;

/// Interposers beside each other and beside nothing, on the same work in the same run.
#[derive(Parser)]
#[command(version, args_conflicts_with_subcommands = true)]
pub(crate) struct Options {
    /// The device: `sim` is the simulated card, `card` the one of this machine's own driver.
    #[arg(long, value_name = "DEVICE", default_value = "sim")]
    pub(crate) on: On,

    /// What to compare with nothing: `vgpu`, or `NAME=/path/lib.so[,VARIABLE=VALUE]...`; again for another. `{memory}`,
    /// `{cores}` and `{cache}` in a value are the limit in bytes, the percent of compute and the slice's file. `none` is
    /// always there. Unless given: `vgpu`.
    #[arg(long = "interposer", value_name = "INTERPOSER")]
    pub(crate) interposers: Vec<String>,

    /// Rounds in which all take turns. Unless given: 5, and 1 with `--quick`.
    #[arg(long, value_name = "N")]
    pub(crate) rounds: Option<NonZeroUsize>,

    /// How long a measured program may take, in seconds.
    #[arg(long, value_name = "SECONDS", default_value = "60")]
    pub(crate) patience: NonZeroU32,

    /// Only what is measured in a moment: shows that the report works, not what its figures are.
    #[arg(long)]
    pub(crate) quick: bool,

    /// Where `report.json`, `report.md` and the plots go. Unless given, nothing is written.
    #[arg(long, value_name = "DIRECTORY")]
    pub(crate) out: Option<PathBuf>,

    /// Says what each metric is, and measures nothing.
    #[arg(long)]
    pub(crate) list: bool,

    /// Only metrics whose identifier or name contains this.
    #[arg(value_name = "FILTER")]
    pub(crate) filter: Option<String>,

    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// The measured program.
    #[command(hide = true)]
    Work { name: String, count: u32 },
}

/// Where to measure.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum On {
    Sim,
    Card,
}

impl On {
    /// The same, as the measured programs know it.
    pub(crate) const fn place(self) -> Place {
        match self {
            Self::Sim => Place::Simulated,
            Self::Card => Place::Card,
        }
    }
}

impl Options {
    /// Rounds of each line.
    pub(crate) fn rounds(&self) -> usize {
        self.rounds.map_or(if self.quick { 1 } else { 5 }, NonZeroUsize::get)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Options::command().debug_assert();
    }
}
