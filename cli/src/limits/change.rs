//! Changing the limits of a running slice.

use std::fs;
use std::thread;
use std::time::{Duration, Instant};

use contract::Bytes;
use contract::limits_page::{Entry, Page, PageError, SharePolicy};
use contract::paths::RunName;
use monitor::gpus::Gpu;
use monitor::runs::{ChangeError, LiveRun, Runs, change_limits};
use monitor::shares::has_owner;
use monitor::slices::{Limit, Slice, SliceGpu};

use crate::args::LimitsArgs;
use crate::failure::Failure;
use crate::run::{needs_owner, overcommit, runtime_dir};
use crate::show::{gpu_label, label};

/// Gives `slice` the limits in `args` on `gpus`.
pub(super) fn change(args: &LimitsArgs, slice: &Slice, gpus: &[&SliceGpu]) -> Result<(), Failure> {
    let shown = label(slice);
    let Some(name) = RunName::parse(&slice.name).filter(|_| slice.supervisor.is_some()) else {
        return Err(Failure::own(format_args!(
            "slice {shown} was not started by vgpu run: its limits are in the environment of its programs, where nobody can \
             change them; start the programs with vgpu run"
        )));
    };
    balances_something(args, slice, gpus)?;
    let page = change_limits(runtime_dir().as_deref(), name, |page| changed(args, page, gpus));
    let page = page.map_err(|error| match error {
        ChangeError::Unknown | ChangeError::Ended => Failure::own(format_args!("slice {shown} has ended")),
        other => Failure::own(format_args!("slice {shown}: {other}")),
    })?;
    let outside = gpus.iter().find(|gpu| page.position(&gpu.uuid).is_none());
    outside.filter(|_| args.gpu.is_some()).map_or(Ok(()), |gpu| {
        Err(Failure::usage(format_args!(
            "GPU {} is not among those that slice {shown} was started with, which cannot be changed while it runs",
            gpu_label(gpu)
        )))
    })
}

/// As for `vgpu run`, balance is of a share.
fn balances_something(args: &LimitsArgs, slice: &Slice, gpus: &[&SliceGpu]) -> Result<(), Failure> {
    let without = gpus.iter().find(|gpu| args.cores.or(gpu.cores).is_none());
    without.filter(|_| args.policy == Some(SharePolicy::Balance)).map_or(Ok(()), |gpu| {
        Err(Failure::usage(format_args!(
            "--policy balance: slice {} has no share of GPU {}; write --cores PCT as well",
            label(slice),
            gpu_label(gpu)
        )))
    })
}

/// `page` with the limits in `args` on `gpus`.
fn changed(args: &LimitsArgs, page: &Page, gpus: &[&SliceGpu]) -> Result<Page, PageError> {
    let memory = args.memory.map(|limit| Some(limit).filter(|limit| *limit != Bytes::ZERO));
    let entry = |entry: &Entry| {
        let is_meant = gpus.iter().any(|gpu| gpu.uuid == entry.uuid);
        if !is_meant {
            return *entry;
        }
        Entry {
            memory: memory.unwrap_or(entry.memory),
            cores: args.cores.or(entry.cores),
            policy: args.policy.unwrap_or(entry.policy),
            priority: args.priority.unwrap_or(entry.priority),
            ..*entry
        }
    };
    Page::with_generation(page.generation(), page.entries().iter().map(entry).collect())
}

/// What works otherwise than one might think, now that `slice` has new limits.
pub(super) fn warnings(args: &LimitsArgs, slice: &Slice, gpus: &[&SliceGpu]) -> Vec<String> {
    let mut warnings = Vec::new();
    let (known, live) = (known(gpus), live());
    let known: Vec<&Gpu> = known.iter().collect();
    if args.memory.is_some() {
        warnings.extend(gpus.iter().filter_map(|gpu| below_use(slice, gpu)));
        warnings.extend(overcommit::of_memory(&known, &live).iter().map(ToString::to_string));
    }
    if args.cores.is_some() {
        warnings.extend(overcommit::of_time(&known, &live).iter().map(ToString::to_string));
    }
    if needs_owner(args.policy.unwrap_or_default(), args.priority.unwrap_or_default()) {
        warnings.extend(without_owner(slice));
    }
    warnings
}

/// That nobody divides the GPUs by policies and priorities, where it is so. The slice's supervisor begins to when the page asks for it:
/// one that runs is waited for, as a busy machine may keep it from that; otherwise somebody else has a moment.
fn without_owner(slice: &Slice) -> Option<String> {
    const PAUSE: Duration = Duration::from_millis(20);
    let name = RunName::parse(&slice.name)?;
    let runs = Runs::existing(runtime_dir().as_deref()).into_iter().flatten().find(|runs| runs.has(name))?;
    let runs_on = slice.is_supervised && !is_stopped(name.pid);
    let patience = Duration::from_secs(if runs_on { 30 } else { 1 });
    let begin = Instant::now();
    while begin.elapsed() < patience {
        if has_owner(&runs) {
            return None;
        }
        thread::sleep(PAUSE);
    }
    Some(format!(
        "nobody divides the GPUs by policy and priority, as the vgpu run of slice {} has ended or is stopped; the slice keeps to its \
         own share until another slice is started with --policy balance or --priority high",
        label(slice)
    ))
}

/// Whether a signal has stopped this process.
fn is_stopped(pid: u32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|(_, fields)| fields.starts_with('T'))
}

fn below_use(slice: &Slice, gpu: &SliceGpu) -> Option<String> {
    let Limit::Bytes(limit) = gpu.limit else { return None };
    (gpu.used > limit).then(|| {
        format!(
            "slice {} holds {} of GPU {}, more than its new limit of {}; nothing is taken away, and new memory is refused \
             until it holds less",
            label(slice),
            gpu.used.human(),
            gpu_label(gpu),
            limit.human()
        )
    })
}

/// Those of `gpus` that the driver knew when the slice was started.
fn known(gpus: &[&SliceGpu]) -> Vec<Gpu> {
    let known = |gpu: &&SliceGpu| {
        Some(Gpu { index: gpu.index?, uuid: gpu.uuid, name: gpu.name.clone()?, memory: gpu.memory })
    };
    gpus.iter().filter_map(known).collect()
}

/// All slices of this user.
fn live() -> Vec<LiveRun> {
    let runs = Runs::existing(runtime_dir().as_deref()).into_iter().flatten();
    runs.filter_map(|runs| runs.live().ok()).flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::show::samples::slices;
    use clap::Parser;
    use contract::Percent;

    fn args(args: &[&str]) -> LimitsArgs {
        LimitsArgs::try_parse_from(["limits", "run-4711"].iter().chain(args)).expect("right arguments")
    }

    fn page() -> Page {
        let entry = |gpu: &SliceGpu| Entry { memory: Some(Bytes(7)), ..Entry::unlimited(gpu.uuid) };
        Page::new(slices()[0].gpus.iter().map(entry).collect()).expect("two entries")
    }

    #[test]
    fn only_what_is_given_changes_and_only_on_the_gpus_that_are_meant() {
        let slice = &slices()[0];
        let of = |options: &[&str], gpus: &[&SliceGpu]| {
            let page = changed(&args(options), &page(), gpus).expect("a right page");
            page.entries().iter().map(|entry| (entry.memory, entry.cores)).collect::<Vec<_>>()
        };
        let both: Vec<&SliceGpu> = slice.gpus.iter().collect();
        assert_eq!(of(&["--memory", "9"], &both), [(Some(Bytes(9)), None); 2]);
        assert_eq!(of(&["--memory", "0"], &both[1..]), [(Some(Bytes(7)), None), (None, None)]);
        let cores = Percent::new(20);
        assert_eq!(of(&["--cores", "20"], &both[..1]), [(Some(Bytes(7)), cores), (Some(Bytes(7)), None)]);
    }

    #[test]
    fn a_limit_below_what_is_held_says_what_happens() {
        let mut slice = slices().remove(0);
        slice.gpus[0].limit = Limit::Bytes(Bytes(512 << 20));
        assert_eq!(
            below_use(&slice, &slice.gpus[0]).expect("a warning"),
            "slice run-4711 holds 1024 MiB of GPU 0 GPU-a0a0a0a0, more than its new limit of 512 MiB; nothing is taken \
             away, and new memory is refused until it holds less"
        );
        slice.gpus[0].limit = Limit::Bytes(slice.gpus[0].used);
        assert_eq!(below_use(&slice, &slice.gpus[0]), None);
        assert_eq!(below_use(&slice, &slice.gpus[1]), None);
    }

    #[test]
    fn a_supervisor_that_is_stopped_is_known_from_one_that_runs() {
        let mut child = std::process::Command::new("sleep").arg("600").spawn().expect("it starts");
        assert!(!is_stopped(child.id()) && !is_stopped(std::process::id()));
        let pid = rustix::process::Pid::from_child(&child);
        rustix::process::kill_process(pid, rustix::process::Signal::STOP).expect("it runs");
        // The kernel stops it a moment later.
        while !is_stopped(child.id()) {
            thread::yield_now();
        }
        child.kill().expect("it runs");
        child.wait().expect("it ends");
    }
}
