//! The arguments of `vgpu`.

mod cluster;
mod demo;
mod doctor;
mod limits;
mod list;
mod run;
mod sim;

use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::install::Install;
use crate::say;
pub(crate) use cluster::{ExplainArgs, NodesArgs, SchedulerArgs};
pub(crate) use demo::DemoArgs;
pub(crate) use doctor::DoctorArgs;
pub(crate) use limits::LimitsArgs;
pub(crate) use list::{PsArgs, TopArgs};
pub(crate) use run::RunArgs;
pub(crate) use sim::{FrozenUse, SimArg};

/// Share a GPU among programs, each with a hard memory limit and a share of the GPU's time of its own.
#[derive(Debug, Parser)]
#[command(name = "vgpu", version, max_term_width = 110)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What `vgpu` can do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Run(RunArgs),
    Ps(PsArgs),
    Top(TopArgs),
    Limits(LimitsArgs),
    Doctor(DoctorArgs),
    Explain(ExplainArgs),
    Nodes(NodesArgs),
    Demo(DemoArgs),
}

/// The arguments of this process. When there is nothing to do the answer has been given, and the exit status is returned.
pub(crate) fn parse() -> Result<Args, ExitCode> {
    let installed = Install::of_this_program().map(|install| install.profiles()).unwrap_or_default();
    let matches = sim::with_profiles(Args::command(), &installed).try_get_matches();
    matches.and_then(|matches| Args::from_arg_matches(&matches)).map_err(answer)
}

/// Prints what clap has to say. Where printing fails, nobody is left to tell.
fn answer(mut error: clap::Error) -> ExitCode {
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            let _ = error.print();
            ExitCode::SUCCESS
        }
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            let _ = error.print();
            ExitCode::from(2)
        }
        ErrorKind::MissingRequiredArgument => {
            say::say(what_is_missing(&error));
            ExitCode::from(2)
        }
        _ => {
            // An option that there is not was hardly meant as the command, as clap would have it.
            error.remove(ContextKind::Suggested);
            let text = error.render().to_string();
            say::say(text.strip_prefix("error: ").unwrap_or(&text).trim_end());
            ExitCode::from(2)
        }
    }
}

/// What has to be there, or beside what was given, and is not.
fn what_is_missing(error: &clap::Error) -> &'static str {
    let missing = match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::Strings(names)) => names.as_slice(),
        _ => &[],
    };
    let is_missing = |name: &str| missing.iter().any(|missing| missing.contains(name));
    if is_missing("POD") {
        "no pod is named; write it last, as in: vgpu explain trainer-0"
    } else if is_missing("SLICE") {
        "no slice is named whose limit is meant; write it first, as in: vgpu limits run-4711 --cores 50"
    } else if is_missing("--cores") {
        "--policy says what a share means, and no share is given; add it, as in: --cores 30 --policy balance"
    } else {
        "no command is given; write it behind --, as in: vgpu run --memory 1Gi -- ./program"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_said() {
        let said = |words: &[&str]| {
            let error = Args::try_parse_from(["vgpu"].iter().chain(words)).expect_err("something is missing");
            what_is_missing(&error)
        };
        assert!(said(&["run", "--cores", "30"]).contains("no command"));
        assert!(said(&["run", "--policy", "balance", "--", "program"]).contains("no share"));
        assert!(said(&["limits", "--cores", "30"]).contains("no slice"));
        assert!(said(&["limits", "--gpu", "1"]).contains("no slice"));
        assert!(said(&["explain", "--namespace", "team"]).contains("no pod"));
    }

    #[test]
    fn the_definition_is_consistent() {
        Args::command().debug_assert();
    }

    #[test]
    fn help_lists_the_profiles_that_are_installed() {
        let help = |installed: &[&str]| {
            let installed: Vec<String> = installed.iter().map(ToString::to_string).collect();
            let mut command = sim::with_profiles(Args::command(), &installed);
            command.find_subcommand_mut("run").expect("it is there").render_help().to_string()
        };
        let text = help(&["535", "550"]).split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(
            text.contains("driver of PROFILE, one of 535, 550, as in --sim=535; 550 if there is none"),
            "{text}"
        );
        assert!(help(&[]).contains("none is installed"));
    }
}
