//! The command line.

use benches::work::Place;
use clap::{Parser, Subcommand, ValueEnum};
use std::num::{NonZeroU32, NonZeroUsize};
use std::path::PathBuf;

const EXIT_STATUS: &str = "\
Exit status: 0, no goal is missed, or the machine had no time to say, or with --quick; 1, an interposer misses a goal;
2, an argument is wrong, or nothing could be measured or written.";

/// Interposers beside each other and beside nothing, on the same work in the same run.
#[derive(Parser)]
#[command(version, args_conflicts_with_subcommands = true, after_help = EXIT_STATUS)]
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
    #[arg(long, value_name = "N", value_parser = rounds, allow_hyphen_values = true)]
    pub(crate) rounds: Option<NonZeroUsize>,

    /// How long a measured program may take, in seconds.
    #[arg(long, value_name = "SECONDS", value_parser = seconds, allow_hyphen_values = true, default_value = "60")]
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

    /// Only metrics whose identifier or name contains this, or one of these.
    #[arg(value_name = "FILTER")]
    pub(crate) filters: Vec<String>,

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

fn rounds(text: &str) -> Result<NonZeroUsize, String> {
    text.parse()
        .map_err(|_| format!("{text} is no number of rounds; write a whole number from 1, for example 5"))
}

fn seconds(text: &str) -> Result<NonZeroU32, String> {
    let problem = || format!("{text} is no time; write whole seconds from 1, for example 60");
    text.parse().map_err(|_| problem())
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn a_second_filter_was_called_a_subcommand() {
        let options = Options::try_parse_from(["report", "OH-", "IS-", "--quick"]).unwrap();
        assert_eq!(options.filters, ["OH-", "IS-"]);
        let options = Options::try_parse_from(["report", "work", "init", "3"]).unwrap();
        assert!(matches!(options.command, Some(Command::Work { count: 3, .. })));
    }

    #[test]
    fn a_number_that_is_none_is_named_with_what_to_write() {
        let problem = |argument: &str, value: &str| {
            let error = Options::try_parse_from(["report", argument, value]).err().unwrap();
            assert_eq!(error.exit_code(), 2);
            error.to_string()
        };
        for value in ["0", "five", "-1"] {
            let rounds = problem("--rounds", value);
            assert!(rounds.contains(value) && rounds.contains("for example 5"), "{rounds}");
        }
        for value in ["0", "foo", "1.5"] {
            let patience = problem("--patience", value);
            assert!(patience.contains(&format!("{value} is no time; write whole seconds")), "{patience}");
        }
    }

    #[test]
    fn the_command_line_is_consistent() {
        Options::command().debug_assert();
    }
}
