//! The arguments of `vgpu`.

mod demo;
mod doctor;
mod limits;
mod list;
mod run;
mod sim;

use std::process::ExitCode;

use clap::error::{ContextKind, ErrorKind};
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::install::Install;
use crate::say;
pub(crate) use demo::DemoArgs;
pub(crate) use doctor::DoctorArgs;
pub(crate) use limits::LimitsArgs;
pub(crate) use list::{PsArgs, TopArgs};
pub(crate) use run::RunArgs;
pub(crate) use sim::{FrozenUse, SimArg};

/// Share a GPU among programs, each with a hard memory limit of its own.
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
        // The command of `vgpu run` is the only thing that must be there.
        ErrorKind::MissingRequiredArgument => {
            say::say("no command is given; write it behind --, as in: vgpu run --memory 1Gi -- ./program");
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

#[cfg(test)]
mod tests {
    use super::*;

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
