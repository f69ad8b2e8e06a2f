//! Whether the slices of a GPU promise more memory than it has.

use std::fmt::{self, Display};

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
pub(crate) fn find<'a>(gpus: &[&'a Gpu], live: &[LiveRun]) -> Vec<Overcommit<'a>> {
    let promises = |gpu: &'a Gpu| {
        let limits: Vec<Bytes> = live.iter().filter_map(|run| promise(run, &gpu.uuid)).collect();
        let promised = limits.iter().fold(Bytes::ZERO, |sum, limit| sum.saturating_add(*limit));
        let memory = gpu.memory.filter(|memory| promised > *memory)?;
        Some(Overcommit { gpu, slices: limits.len(), promised, memory })
    };
    gpus.iter().filter_map(|gpu| promises(gpu)).collect()
}

fn promise(run: &LiveRun, uuid: &Uuid) -> Option<Bytes> {
    run.page.entries()[run.page.position(uuid)?].memory
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
    use contract::limits_page::{Entry, Page};
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
        assert_eq!(find(&[&gpu], &live), []);
    }

    #[test]
    fn one_byte_more_is_too_much() {
        let gpu = gpu(0, Some(80 * GIB));
        let live = [run(&[(0, Some(50 * GIB))]), run(&[(0, Some(30 * GIB + 1))])];
        let found = find(&[&gpu], &live);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].promised, Bytes(80 * GIB + 1));
    }

    #[test]
    fn the_warning_names_gpu_sum_and_size() {
        let gpu = gpu(0, Some(81_559 << 20));
        let live = [run(&[(0, Some(50 * GIB))]), run(&[(0, Some(40 * GIB))])];
        assert_eq!(
            find(&[&gpu], &live)[0].to_string(),
            "the 2 slices of GPU 0 (NVIDIA H100 80GB HBM3) add up to 92160 MiB, the GPU has 81559 MiB; an allocation \
             inside a limit may fail"
        );
        assert_eq!(
            find(&[&gpu], &[run(&[(0, Some(100 * GIB))])])[0].to_string(),
            "this slice of GPU 0 (NVIDIA H100 80GB HBM3) is 102400 MiB, the GPU has 81559 MiB; an allocation inside a \
             limit may fail"
        );
    }

    #[test]
    fn each_gpu_is_summed_by_itself() {
        let (first, second) = (gpu(0, Some(80 * GIB)), gpu(1, Some(80 * GIB)));
        let live = [run(&[(0, Some(60 * GIB)), (1, Some(60 * GIB))]), run(&[(1, Some(60 * GIB))])];
        let found = find(&[&first, &second], &live);
        assert_eq!(found.iter().map(|found| found.gpu.index).collect::<Vec<_>>(), [1]);
        assert_eq!(find(&[&first], &live), []);
    }

    #[test]
    fn unlimited_slices_and_unknown_sizes_count_for_nothing() {
        let known = gpu(0, Some(80 * GIB));
        assert_eq!(find(&[&known], &[run(&[(0, None)]), run(&[(0, Some(80 * GIB))]), run(&[])]), []);
        let unknown = gpu(0, None);
        assert_eq!(find(&[&unknown], &[run(&[(0, Some(u64::MAX - 1))])]), []);
    }

    #[test]
    fn a_sum_beyond_all_numbers_is_too_much() {
        let gpu = gpu(0, Some(80 * GIB));
        let huge = run(&[(0, Some(u64::MAX - 1))]);
        assert_eq!(find(&[&gpu], &[huge.clone(), huge])[0].promised, Bytes(u64::MAX));
    }
}
