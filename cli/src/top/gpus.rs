//! What all slices together hold of each GPU.

use std::collections::BTreeMap;

use contract::{Bytes, Uuid};
use monitor::slices::{Limit, MemoryClass, Slice};

/// One GPU with at least one slice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct GpuSum {
    pub(super) uuid: Uuid,
    pub(super) index: Option<u32>,
    pub(super) name: Option<String>,
    pub(super) memory: Option<Bytes>,
    /// What the slices hold.
    pub(super) used: Bytes,
    /// The sum of the limits that are known.
    pub(super) promised: Bytes,
    /// How many slices may use it.
    pub(super) slices: usize,
    /// How many of them have no limit.
    pub(super) unlimited: usize,
    /// Of how many the limit is not known.
    pub(super) unknown: usize,
    /// Requests refused, by class.
    pub(super) refused: BTreeMap<MemoryClass, u64>,
    /// Thousandths of its time that they have, as far as that is known.
    pub(super) achieved: Option<u32>,
    /// Whether its driver does not tell some of them how much of its time they use.
    pub(super) is_untrimmed: bool,
}

/// The GPUs of `slices`, by index; those whose index is not known come last.
pub(super) fn sum(slices: &[Slice]) -> Vec<GpuSum> {
    let mut sums: Vec<GpuSum> = Vec::new();
    for gpu in slices.iter().flat_map(|slice| &slice.gpus) {
        let place = sums.iter().position(|sum| sum.uuid == gpu.uuid).unwrap_or_else(|| {
            sums.push(GpuSum::none(gpu.uuid));
            sums.len() - 1
        });
        let sum = &mut sums[place];
        sum.index = sum.index.or(gpu.index);
        sum.name = sum.name.take().or_else(|| gpu.name.clone());
        sum.memory = sum.memory.or(gpu.memory);
        sum.used = sum.used.saturating_add(gpu.used);
        sum.slices += 1;
        if let Some(achieved) = gpu.compute.achieved {
            sum.achieved = Some(sum.achieved.unwrap_or(0).saturating_add(achieved));
        }
        sum.is_untrimmed |= gpu.correction.has_source == Some(false);
        for entry in &gpu.refusals.counts {
            let count = sum.refused.entry(entry.class).or_default();
            *count = count.saturating_add(entry.count);
        }
        match gpu.limit {
            Limit::Bytes(limit) => sum.promised = sum.promised.saturating_add(limit),
            Limit::Unlimited => sum.unlimited += 1,
            Limit::Unknown => sum.unknown += 1,
        }
    }
    sums.sort_by_key(|sum| (sum.index.is_none(), sum.index, sum.uuid));
    sums
}

impl GpuSum {
    /// Of no slice.
    const fn none(uuid: Uuid) -> Self {
        Self {
            uuid,
            index: None,
            name: None,
            memory: None,
            used: Bytes::ZERO,
            promised: Bytes::ZERO,
            slices: 0,
            unlimited: 0,
            unknown: 0,
            refused: BTreeMap::new(),
            achieved: None,
            is_untrimmed: false,
        }
    }

    /// How many of `cells` are full: rounded up, so that anything in use is seen, and never all unless all is.
    pub(super) fn filled(&self, cells: usize) -> usize {
        let Some(memory) = self.memory.filter(|memory| *memory != Bytes::ZERO) else { return 0 };
        let product = u128::from(self.used.0) * cells as u128;
        usize::try_from(product.div_ceil(u128::from(memory.0))).unwrap_or(cells).min(cells)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::show::samples;

    #[test]
    fn slices_add_up_by_gpu() {
        let twice = [samples::slices(), samples::slices()].concat();
        let sums = sum(&twice);
        let indices: Vec<_> = sums.iter().map(|sum| sum.index).collect();
        assert_eq!(indices, [Some(0), Some(1), None]);
        assert_eq!((sums[0].used, sums[0].promised), (Bytes(2048 << 20), Bytes(2048 << 20)));
        let slices: Vec<_> = sums.iter().map(|sum| (sum.slices, sum.unlimited, sum.unknown)).collect();
        assert_eq!(slices, [(2, 0, 0), (2, 2, 0), (2, 0, 2)]);
        assert_eq!((sums[0].achieved, sums[1].achieved), (Some(596), None));
        assert_eq!(sums[0].refused, BTreeMap::from([(MemoryClass::Linear, 26), (MemoryClass::Pool, 4)]));
    }

    #[test]
    fn bars_show_the_least_use_and_lies_do_not_overflow_them() {
        let mut gpu = sum(&samples::slices()).remove(0);
        gpu.memory = Some(Bytes(1000));
        for (used, cells) in [(0, 0), (1, 1), (500, 5), (501, 6), (1000, 10), (u64::MAX, 10)] {
            gpu.used = Bytes(used);
            assert_eq!(gpu.filled(10), cells, "{used}");
        }
        gpu.memory = None;
        assert_eq!(gpu.filled(10), 0);
    }
}
