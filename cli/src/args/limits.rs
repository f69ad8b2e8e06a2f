//! The arguments of `vgpu limits`.

use std::str::FromStr;

use clap::Parser;
use contract::env::Priority;
use contract::limits_page::SharePolicy;
use contract::{Bytes, Percent, size};

use super::run::{priority, share};

/// Show the limits of your slices, or change those of one while it runs
#[derive(Debug, Parser)]
#[command(after_help = "\
Examples:
  vgpu limits
  vgpu limits run-4711 --memory 2Gi
  vgpu limits run-4711 --memory 0 --gpu 1
  vgpu limits run-4711 --cores 50 --policy balance
  vgpu limits run-4711 --priority high

A new limit is in force at the next call of each program in the slice. One below what the slice holds
takes nothing away: new memory is refused until it holds less. A limit in the environment of a
program stays in force beside it.")]
pub(crate) struct LimitsArgs {
    /// The slice, as vgpu ps names it; all of them where none is given
    #[arg(value_name = "SLICE")]
    pub(crate) slice: Option<String>,

    /// The most memory on each GPU from now on: a size as for vgpu run; 0 is no limit
    #[arg(long, value_name = "SIZE", value_parser = size::parse, allow_hyphen_values = true, requires = "slice")]
    pub(crate) memory: Option<Bytes>,

    /// The share of each GPU's time in percent from now on, 1 to 100
    #[arg(long, value_name = "PCT", value_parser = share, allow_hyphen_values = true, requires = "slice")]
    pub(crate) cores: Option<Percent>,

    /// What the share means from now on: fixed, balance or none, as for vgpu run
    #[arg(long, value_name = "POLICY", value_parser = SharePolicy::from_str, requires = "slice")]
    pub(crate) policy: Option<SharePolicy>,

    /// The priority from now on: high or low, as for vgpu run
    #[arg(long, value_name = "PRIORITY", value_parser = priority, requires = "slice")]
    pub(crate) priority: Option<Priority>,

    /// The one GPU to change or show: its index, UUID or a unique beginning of its UUID
    #[arg(long, value_name = "GPU", requires = "slice")]
    pub(crate) gpu: Option<String>,

    /// Print the slices as vgpu ps --json does
    #[arg(long)]
    pub(crate) json: bool,
}

impl LimitsArgs {
    /// Whether anything is to be changed.
    pub(crate) const fn is_change(&self) -> bool {
        self.memory.is_some() || self.cores.is_some() || self.policy.is_some() || self.priority.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits(args: &[&str]) -> Result<LimitsArgs, String> {
        LimitsArgs::try_parse_from(["limits"].iter().chain(args)).map_err(|error| error.render().to_string())
    }

    #[test]
    fn showing_and_changing() {
        assert!(!limits(&[]).expect("all slices").is_change());
        assert!(!limits(&["run-1", "--json"]).expect("one slice").is_change());
        let args = limits(&["run-1", "--memory", "2Gi", "--cores=50", "--gpu", "1"]).expect("a change");
        assert_eq!((args.memory, args.cores), (Some(Bytes(2 << 30)), Percent::new(50)));
        assert!(args.is_change());
        assert_eq!(limits(&["run-1", "--memory=0"]).expect("a change").memory, Some(Bytes::ZERO));
        let args = limits(&["run-1", "--policy", "none"]).expect("a change");
        assert!(args.is_change() && args.policy == Some(SharePolicy::Unlimited));
        let args = limits(&["run-1", "--priority", "high"]).expect("a change");
        assert!(args.is_change() && args.priority == Some(Priority(0)));
    }

    #[test]
    fn a_limit_needs_a_slice_and_a_size() {
        assert!(limits(&["--memory", "2Gi"]).expect_err("no slice").contains("SLICE"));
        let error = limits(&["run-1", "--memory", "1.5g"]).expect_err("no size");
        assert!(error.contains("1.5g is not a size; write "), "{error}");
        let error = limits(&["run-1", "--cores", "0"]).expect_err("no share");
        assert!(error.contains("a whole number from 1 to 100"), "{error}");
        let error = limits(&["run-1", "--policy", "fair"]).expect_err("no policy");
        assert!(error.contains("write fixed, balance or none"), "{error}");
        let error = limits(&["run-1", "--priority", "1"]).expect_err("no priority");
        assert!(error.contains("write high or low"), "{error}");
    }
}
