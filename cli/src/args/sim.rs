//! `--sim`, wherever a command takes it.

use std::fmt::{self, Display};
use std::str::FromStr;

use clap::{Args, Command};

/// Whether to use the simulated GPU.
#[derive(Debug, Args)]
pub(crate) struct SimArg {
    /// Use the simulated GPU, with the driver of PROFILE
    #[arg(long, value_name = "PROFILE", num_args = 0..=1, require_equals = true, default_missing_value = Self::DEFAULT)]
    sim: Option<String>,
}

impl SimArg {
    /// The profile of `--sim` alone.
    pub(crate) const DEFAULT: &str = "550";

    /// The simulated driver to use; `None` is the machine's own.
    pub(crate) fn profile(&self) -> Option<&str> {
        self.sim.as_deref()
    }
}

/// What NVML on the simulated machine is to tell of its use, in percent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FrozenUse {
    gpu: u8,
    memory: u8,
}

impl FromStr for FrozenUse {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let percent = |text: &str| {
            let digits = text.bytes().all(|byte| byte.is_ascii_digit());
            text.parse().ok().filter(|percent| digits && *percent <= 100)
        };
        let parts = text.split_once(',');
        parts
            .and_then(|(gpu, memory)| Some(Self { gpu: percent(gpu)?, memory: percent(memory)? }))
            .ok_or("write the use of the GPU and of its memory in percent, as in 37,5")
    }
}

impl Display for FrozenUse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{},{}", self.gpu, self.memory)
    }
}

/// Lets the help of every subcommand with `--sim` say which profiles are `installed`.
pub(super) fn with_profiles(mut command: Command, installed: &[String]) -> Command {
    let help = match installed {
        [] => "Use the simulated GPU (none is installed beside this program)".to_owned(),
        [first, ..] => format!(
            "Use the simulated GPU, with the driver of PROFILE, one of {}, as in --sim={first}; {} if there is none",
            installed.join(", "),
            SimArg::DEFAULT
        ),
    };
    let names: Vec<String> = command.get_subcommands().map(|sub| sub.get_name().to_owned()).collect();
    for name in names {
        command = command.mut_subcommand(name, |sub| {
            let takes_it = sub.get_arguments().any(|argument| argument.get_id() == "sim");
            if takes_it { sub.mut_arg("sim", |argument| argument.help(help.clone())) } else { sub }
        });
    }
    command
}
