//! The arguments of `vgpu run`.

use std::ffi::OsString;
use std::str::FromStr;

use clap::Parser;
use contract::env::Priority;
use contract::limits_page::SharePolicy;
use contract::{Bytes, Percent, size};

use super::{FrozenUse, SimArg};

/// Run a command, and all that it starts, inside a slice of the GPUs
#[derive(Debug, Parser)]
#[command(
    override_usage = "vgpu run [OPTIONS] -- COMMAND [ARGUMENT]...",
    after_help = "\
Examples:
  vgpu run --memory 8Gi -- python train.py
  vgpu run --memory 1Gi --gpus 0,GPU-5f3c -- ./server --port 80
  vgpu run --cores 30 --policy balance -- python train.py
  vgpu run --memory 1Gi --sim -- fill 2048       (no GPU needed)

Exit status: the command's own; 128+N when signal N killed it; 2 for wrong arguments;
125 when vgpu itself fails; 126 when the command cannot be executed; 127 when there is no
such command."
)]
pub(crate) struct RunArgs {
    /// The most memory on each GPU: bytes, or a whole number with k, m, g, t, Ki, Mi, Gi or Ti; 0 is no limit
    #[arg(long, value_name = "SIZE", value_parser = size::parse, allow_hyphen_values = true)]
    pub(crate) memory: Option<Bytes>,

    /// The share of each GPU's time in percent, 1 to 100
    #[arg(long, value_name = "PCT", value_parser = share, allow_hyphen_values = true)]
    pub(crate) cores: Option<Percent>,

    /// What --cores means: fixed, the most; balance, the least, and a part of what other slices leave unused; none, nothing
    #[arg(long, value_name = "POLICY", value_parser = SharePolicy::from_str, default_value = "fixed", requires = "cores")]
    pub(crate) policy: SharePolicy,

    /// While a slice of high priority uses a GPU, those of low priority there hardly run; low unless given
    #[arg(long, value_name = "PRIORITY", value_parser = priority)]
    pub(crate) priority: Option<Priority>,

    /// The GPUs to use, separated by commas: indices, UUIDs or unique beginnings of UUIDs; the others have no memory to
    /// give
    #[arg(long, value_name = "LIST", default_value = "all")]
    pub(crate) gpus: String,

    #[command(flatten)]
    pub(crate) sim: SimArg,

    /// Let the simulated machine tell this use of GPU and memory in percent, as in 37,5, whatever runs: two runs of a
    /// monitor then print the same
    #[arg(long, value_name = "GPU,MEMORY", allow_hyphen_values = true)]
    pub(crate) sim_freeze: Option<FrozenUse>,

    /// The command and its arguments
    #[arg(required = true, trailing_var_arg = true, value_name = "COMMAND")]
    pub(crate) command: Vec<OsString>,
}

impl RunArgs {
    /// The memory limit; a limit of 0 is none.
    pub(crate) fn memory_limit(&self) -> Option<Bytes> {
        self.memory.filter(|limit| *limit != Bytes::ZERO)
    }
}

/// Reads a share of compute time.
pub(super) fn share(text: &str) -> Result<Percent, &'static str> {
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    let percent = text.parse().ok().filter(|_| digits).and_then(Percent::new);
    percent.ok_or("write a whole number from 1 to 100")
}

/// Reads a priority.
pub(super) fn priority(text: &str) -> Result<Priority, &'static str> {
    match text {
        "high" => Ok(Priority(0)),
        "low" => Ok(Priority::default()),
        _ => Err("write high or low"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{Args, Command};

    fn run(args: &[&str]) -> Result<RunArgs, String> {
        let args = ["vgpu", "run"].iter().chain(args);
        let parsed = Args::try_parse_from(args).map_err(|error| error.render().to_string())?;
        match parsed.command {
            Command::Run(args) => Ok(args),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn everything_has_a_default_but_the_command() {
        let args = run(&["--", "true"]).expect("right arguments");
        assert_eq!((args.memory_limit(), args.cores, args.sim.profile()), (None, None, None));
        assert_eq!((args.policy, args.priority), (SharePolicy::Fixed, None));
        assert_eq!(args.gpus, "all");
        assert_eq!(args.command, ["true"]);
        assert!(run(&[]).is_err());
        assert!(run(&["--"]).is_err());
    }

    #[test]
    fn everything_given() {
        let args = run(&[
            "--memory",
            "1Gi",
            "--cores=30",
            "--policy=balance",
            "--priority",
            "high",
            "--gpus",
            "0,1",
            "--sim=535",
            "--sim-freeze=37,5",
            "--",
            "a",
            "--b",
            "--",
            "c",
        ]);
        let args = args.expect("right arguments");
        assert_eq!(args.memory_limit(), Some(Bytes(1 << 30)));
        assert_eq!(args.cores, Percent::new(30));
        assert_eq!((args.policy, args.priority), (SharePolicy::Balance, Some(Priority(0))));
        assert_eq!(args.gpus, "0,1");
        assert_eq!(args.sim.profile(), Some("535"));
        assert_eq!(args.sim_freeze.map(|frozen| frozen.to_string()).as_deref(), Some("37,5"));
        assert_eq!(args.command, ["a", "--b", "--", "c"]);
    }

    #[test]
    fn the_command_may_follow_without_dashes() {
        let args = run(&["--sim", "nvidia-smi", "-L", "--memory", "9"]).expect("right arguments");
        assert_eq!(args.sim.profile(), Some("550"));
        assert_eq!(args.command, ["nvidia-smi", "-L", "--memory", "9"]);
        assert_eq!(args.memory, None);
    }

    #[test]
    fn an_option_with_a_typing_error_is_no_command() {
        assert!(run(&["--memroy", "1g", "--", "true"]).expect_err("unknown option").contains("--memroy"));
    }

    #[test]
    fn zero_is_no_memory_limit() {
        for zero in ["0", "0m"] {
            assert_eq!(run(&["--memory", zero, "--", "true"]).expect("right arguments").memory_limit(), None);
        }
    }

    #[test]
    fn wrong_values_are_named_with_the_fix() {
        for size in ["1.5g", "1024MB", "08g", "abc", ""] {
            let error = run(&["--memory", size, "--", "true"]).expect_err(size);
            assert!(
                error.contains(size) && error.contains("--memory") && error.contains("; write "),
                "{error}"
            );
        }
        assert!(run(&["--memory=-1", "--", "true"]).expect_err("negative").contains("-1 is not a size"));
        for frozen in ["37", "37,", "37,101", "a,b", "1,2,3", "-1,0", "+1,0", ""] {
            let error = run(&["--sim", "--sim-freeze", frozen, "--", "true"]).expect_err(frozen);
            assert!(error.contains("--sim-freeze") && error.contains("in percent, as in 37,5"), "{error}");
        }
        for share in ["0", "101", "30%", "abc", "", "+5", "3.5", "256"] {
            let error = run(&["--cores", share, "--", "true"]).expect_err(share);
            assert!(error.contains("--cores") && error.contains("a whole number from 1 to 100"), "{error}");
        }
        let policy = run(&["--cores=5", "--policy", "fair", "--", "true"]).expect_err("no policy");
        assert!(policy.contains("fair") && policy.contains("write fixed, balance or none"), "{policy}");
        let priority = run(&["--priority", "0", "--", "true"]).expect_err("no priority");
        assert!(priority.contains("--priority") && priority.contains("write high or low"), "{priority}");
        let alone = run(&["--policy=balance", "--", "true"]).expect_err("balance of what");
        assert!(alone.contains("--cores"), "{alone}");
    }
}
