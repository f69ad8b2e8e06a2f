//! Whether the slices of a GPU promise more memory or time than it has.

use std::fmt::{self, Display};

use contract::limits_page::{Entry, SharePolicy};
use contract::{Bytes, Uuid};
use monitor::gpus::Gpu;
use monitor::runs::LiveRun;

/// A GPU whose slices add up to more than it has.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Overcommit<'a> {
    gpu: &'a Gpu,
    slices: usize,
    promised: Bytes,
    memory: Bytes,
}

/// Those of `gpus` that the slices `live` promise too much of. A slice without a memory limit promises nothing.
pub(crate) fn of_memory<'a>(gpus: &[&'a Gpu], live: &[LiveRun]) -> Vec<Overcommit<'a>> {
    let promises = |gpu: &'a Gpu| {
        let limits: Vec<Bytes> = live.iter().filter_map(|run| promise(run, &gpu.uuid)).collect();
        let promised = limits.iter().fold(Bytes::ZERO, |sum, limit| sum.saturating_add(*limit));
        let memory = gpu.memory.filter(|memory| promised > *memory)?;
        Some(Overcommit { gpu, slices: limits.len(), promised, memory })
    };
    gpus.iter().filter_map(|gpu| promises(gpu)).collect()
}

/// A GPU whose slices are promised more than all of its time.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct TimeOvercommit<'a> {
    gpu: &'a Gpu,
    slices: usize,
    /// In percent.
    promised: usize,
}

/// Those of `gpus` whose time the slices `live` promise too much of. A slice without a share is promised none.
pub(crate) fn of_time<'a>(gpus: &[&'a Gpu], live: &[LiveRun]) -> Vec<TimeOvercommit<'a>> {
    let promises = |gpu: &'a Gpu| {
        let entries = live.iter().filter_map(|run| entry(run, &gpu.uuid));
        let shares = entries.filter(|entry| entry.policy != SharePolicy::Unlimited);
        let shares: Vec<usize> = shares.filter_map(|entry| Some(usize::from(entry.cores?.get()))).collect();
        let promised = shares.iter().sum();
        (promised > 100).then_some(TimeOvercommit { gpu, slices: shares.len(), promised })
    };
    gpus.iter().filter_map(|gpu| promises(gpu)).collect()
}

impl Display for TimeOvercommit<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { gpu: Gpu { index, name, .. }, slices, promised } = self;
        write!(
            f,
            "the {slices} slices of GPU {index} ({name}) are promised {promised} % of its time; while all of them use it, \
             they get less"
        )
    }
}

fn promise(run: &LiveRun, uuid: &Uuid) -> Option<Bytes> {
    entry(run, uuid)?.memory
}

fn entry<'a>(run: &'a LiveRun, uuid: &Uuid) -> Option<&'a Entry> {
    run.page.entries().get(run.page.position(uuid)?)
}

impl Display for Overcommit<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { gpu: Gpu { index, name, .. }, slices, promised, memory } = self;
        let (promised, memory) = (promised.human(), memory.human());
        match slices {
            1 => write!(f, "this slice of GPU {index} ({name}) is {promised}, the GPU has {memory}")?,
            _ => write!(
                f,
                "the {slices} slices of GPU {index} ({name}) add up to {promised}, the GPU has {memory}"
            )?,
        }
        f.write_str("; an allocation inside a limit may fail")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use contract::Percent;
    use contract::limits_page::Page;
    use contract::paths::RunName;

    const GIB: u64 = 1 << 30;

    fn gpu(index: u8, memory: Option<u64>) -> Gpu {
        Gpu {
            index: u32::from(index),
            uuid: Uuid([index; 16]),
            name: "NVIDIA H100 80GB HBM3".to_owned(),
            memory: memory.map(Bytes),
        }
    }

    /// A slice with a limit for each GPU that is listed.
    fn run(limits: &[(u8, Option<u64>)]) -> LiveRun {
        let entry = |(index, memory): &(u8, Option<u64>)| Entry {
            memory: memory.map(Bytes),
            ..Entry::unlimited(Uuid([*index; 16]))
        };
        let page = Page::new(limits.iter().map(entry).collect()).expect("a right page");
        LiveRun { name: RunName { pid: 1, random: 1 }, page }
    }

    #[test]
    fn slices_that_fill_the_gpu_exactly_are_fine() {
        let gpu = gpu(0, Some(80 * GIB));
        let live = [run(&[(0, Some(50 * GIB))]), run(&[(0, Some(30 * GIB))])];
        assert_eq!(of_memory(&[&gpu], &live), []);
    }

    #[test]
    fn one_byte_more_is_too_much() {
        let gpu = gpu(0, Some(80 * GIB));
        let live = [run(&[(0, Some(50 * GIB))]), run(&[(0, Some(30 * GIB + 1))])];
        let found = of_memory(&[&gpu], &live);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].promised, Bytes(80 * GIB + 1));
    }

    #[test]
    fn the_warning_names_gpu_sum_and_size() {
        let gpu = gpu(0, Some(81_559 << 20));
        let live = [run(&[(0, Some(50 * GIB))]), run(&[(0, Some(40 * GIB))])];
        assert_eq!(
            of_memory(&[&gpu], &live)[0].to_string(),
            "the 2 slices of GPU 0 (NVIDIA H100 80GB HBM3) add up to 92160 MiB, the GPU has 81559 MiB; an allocation \
             inside a limit may fail"
        );
        assert_eq!(
            of_memory(&[&gpu], &[run(&[(0, Some(100 * GIB))])])[0].to_string(),
            "this slice of GPU 0 (NVIDIA H100 80GB HBM3) is 102400 MiB, the GPU has 81559 MiB; an allocation inside a \
             limit may fail"
        );
    }

    #[test]
    fn each_gpu_is_summed_by_itself() {
        let (first, second) = (gpu(0, Some(80 * GIB)), gpu(1, Some(80 * GIB)));
        let live = [run(&[(0, Some(60 * GIB)), (1, Some(60 * GIB))]), run(&[(1, Some(60 * GIB))])];
        let found = of_memory(&[&first, &second], &live);
        assert_eq!(found.iter().map(|found| found.gpu.index).collect::<Vec<_>>(), [1]);
        assert_eq!(of_memory(&[&first], &live), []);
    }

    #[test]
    fn unlimited_slices_and_unknown_sizes_count_for_nothing() {
        let known = gpu(0, Some(80 * GIB));
        assert_eq!(of_memory(&[&known], &[run(&[(0, None)]), run(&[(0, Some(80 * GIB))]), run(&[])]), []);
        let unknown = gpu(0, None);
        assert_eq!(of_memory(&[&unknown], &[run(&[(0, Some(u64::MAX - 1))])]), []);
    }

    #[test]
    fn more_than_all_of_a_gpus_time_is_too_much() {
        let gpu = gpu(0, None);
        let run = |cores, policy| {
            let entry = Entry { cores: Percent::new(cores), policy, ..Entry::unlimited(gpu.uuid) };
            LiveRun {
                name: RunName { pid: 1, random: 1 },
                page: Page::new(vec![entry]).expect("a right page"),
            }
        };
        let mut live = vec![
            run(60, SharePolicy::Fixed),
            run(40, SharePolicy::Balance),
            run(90, SharePolicy::Unlimited),
            run(0, SharePolicy::Fixed),
        ];
        assert_eq!(of_time(&[&gpu], &live), []);
        live.push(run(1, SharePolicy::Fixed));
        assert_eq!(
            of_time(&[&gpu], &live)[0].to_string(),
            "the 3 slices of GPU 0 (NVIDIA H100 80GB HBM3) are promised 101 % of its time; while all of them use it, they \
             get less"
        );
    }

    #[test]
    fn a_sum_beyond_all_numbers_is_too_much() {
        let gpu = gpu(0, Some(80 * GIB));
        let huge = run(&[(0, Some(u64::MAX - 1))]);
        assert_eq!(of_memory(&[&gpu], &[huge.clone(), huge])[0].promised, Bytes(u64::MAX));
    }
}
