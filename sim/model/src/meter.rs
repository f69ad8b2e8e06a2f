//! Utilisation of one device: what NVML samples, and the total that tests judge by.

use std::collections::{BTreeMap, VecDeque};

use crate::{Nanos, Permille, ProcessId, Utilization};

/// Windows that are remembered. Real cards hold about a hundred.
const RING: usize = 120;

/// Time and weighted time of use.
#[derive(Clone, Copy, Debug, Default)]
struct Use {
    /// Nanoseconds during which a kernel was resident.
    busy: u64,
    /// The same, weighted with the share of the memory bandwidth, in thousandths of a nanosecond.
    memory: u128,
}

/// A complete sample window. `processes` has only those with use.
#[derive(Clone, Debug)]
pub(crate) struct Window {
    pub(crate) end: Nanos,
    pub(crate) device: Utilization,
    pub(crate) processes: Vec<(ProcessId, Utilization)>,
}

/// What one process did on the device.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Done {
    pub(crate) busy: Nanos,
    pub(crate) kernels: u64,
}

/// The meter of one device.
#[derive(Clone, Debug)]
pub(crate) struct Meter {
    length: Nanos,
    start: Nanos,
    uses: BTreeMap<ProcessId, Use>,
    ring: VecDeque<Window>,
    total: Done,
    by_process: BTreeMap<ProcessId, Done>,
}

impl Use {
    fn add(&mut self, span: Nanos, memory: Permille) {
        self.busy += span.0;
        self.memory += u128::from(span.0) * u128::from(memory.0);
    }

    fn of(self, window: Nanos) -> Utilization {
        let percent =
            |part: u128, whole: u128| u32::try_from((part * 100 + whole / 2) / whole).unwrap_or(100);
        let window = u128::from(window.0);
        Utilization {
            gpu: percent(u128::from(self.busy), window),
            memory: percent(self.memory, window * u128::from(Permille::WHOLE.0)),
        }
    }
}

impl Meter {
    /// A meter whose windows are multiples of `length`, from `now` on.
    pub(crate) fn new(length: Nanos, now: Nanos) -> Self {
        let start = Nanos(now.0 - now.0 % length.0);
        let (uses, ring, by_process) = (BTreeMap::new(), VecDeque::new(), BTreeMap::new());
        Self { length, start, uses, ring, total: Done::default(), by_process }
    }

    /// A process had the device from `from` to `to`.
    pub(crate) fn busy(&mut self, process: ProcessId, memory: Permille, from: Nanos, to: Nanos) {
        self.total.busy += to - from;
        self.by_process.entry(process).or_default().busy += to - from;
        let mut from = from;
        while from < to {
            self.roll(from);
            let until = to.min(self.start + self.length);
            self.uses.entry(process).or_default().add(until - from, memory);
            from = until;
        }
    }

    /// A process completed a kernel.
    pub(crate) fn kernel(&mut self, process: ProcessId) {
        self.total.kernels += 1;
        self.by_process.entry(process).or_default().kernels += 1;
    }

    /// Completes the windows that ended by `now`.
    pub(crate) fn roll(&mut self, now: Nanos) {
        let passed = now.saturating_sub(self.start).0 / self.length.0;
        let kept = u64::try_from(RING).unwrap_or(u64::MAX);
        if passed > kept + 1 {
            self.close();
            self.start += Nanos((passed - 1 - kept) * self.length.0);
        }
        while self.start + self.length <= now {
            self.close();
        }
    }

    /// Complete windows, oldest first.
    pub(crate) fn windows(&self) -> impl DoubleEndedIterator<Item = &Window> {
        self.ring.iter()
    }

    /// What the whole device did.
    pub(crate) fn total(&self) -> Done {
        self.total
    }

    /// What one process did.
    pub(crate) fn of(&self, process: ProcessId) -> Done {
        self.by_process.get(&process).copied().unwrap_or_default()
    }

    /// Forgets a process that ended. Its use stays in what the device did.
    pub(crate) fn forget(&mut self, process: ProcessId) {
        self.by_process.remove(&process);
        for window in &mut self.ring {
            window.processes.retain(|(of, _)| *of != process);
        }
    }

    fn close(&mut self) {
        let mut device = Use::default();
        for of in self.uses.values() {
            device.busy += of.busy;
            device.memory += of.memory;
        }
        let processes =
            std::mem::take(&mut self.uses).into_iter().map(|(process, of)| (process, of.of(self.length)));
        let processes = processes.collect();
        self.start += self.length;
        if self.ring.len() == RING {
            self.ring.pop_front();
        }
        self.ring.push_back(Window { end: self.start, device: device.of(self.length), processes });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROCESS: ProcessId = ProcessId(1);

    fn last(meter: &Meter) -> (u64, Utilization) {
        meter.windows().next_back().map(|window| (window.end.0, window.device)).expect("a complete window")
    }

    #[test]
    fn use_is_split_at_the_edge_of_a_window() {
        let mut meter = Meter::new(Nanos(100), Nanos(1000));
        meter.busy(PROCESS, Permille(500), Nanos(1070), Nanos(1150));
        meter.roll(Nanos(1199));
        assert_eq!(last(&meter), (1100, Utilization { gpu: 30, memory: 15 }));
        meter.roll(Nanos(1200));
        assert_eq!(last(&meter), (1200, Utilization { gpu: 50, memory: 25 }));
        assert_eq!(meter.total().busy, Nanos(80));
    }

    #[test]
    fn an_hour_of_idleness_is_passed_over_in_one_step() {
        let mut meter = Meter::new(Nanos(100), Nanos(0));
        meter.busy(PROCESS, Permille(0), Nanos(0), Nanos(100));
        meter.roll(Nanos(3_600_000_000_050));
        assert_eq!(last(&meter), (3_600_000_000_000, Utilization::default()));
        assert_eq!(meter.windows().count(), RING);
        assert!(
            meter.windows().zip(meter.windows().skip(1)).all(|(one, next)| next.end == one.end + Nanos(100))
        );
    }

    #[test]
    fn a_process_that_ended_is_not_in_the_samples() {
        let mut meter = Meter::new(Nanos(100), Nanos(0));
        meter.busy(PROCESS, Permille(0), Nanos(0), Nanos(50));
        meter.roll(Nanos(100));
        meter.forget(PROCESS);
        assert!(meter.windows().all(|window| window.processes.is_empty()));
        assert_eq!(last(&meter).1.gpu, 50);
    }
}
