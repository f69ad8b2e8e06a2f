//! The multiprocessors of one device: shared fluidly within a process, in slices between processes.

use std::collections::VecDeque;

use crate::{Nanos, Permille, ProcessId, StreamId};

/// Work is counted in 1/1024 ns, so that what a stretched kernel loses to rounding at each event stays below 1 ps.
const FINE: u128 = 1024;

/// A kernel that is on the device or waits for its process's slice.
#[derive(Clone, Copy, Debug)]
struct Resident {
    stream: StreamId,
    /// What is left of it, at full speed, in 1/1024 ns.
    left: u128,
    sm: Permille,
    memory: Permille,
}

/// A process that has kernels to run.
#[derive(Clone, Debug)]
struct Runnable {
    process: ProcessId,
    kernels: Vec<Resident>,
}

/// What ran between two instants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ran {
    pub(super) process: ProcessId,
    /// Share of the memory bandwidth that was used.
    pub(super) memory: Permille,
}

/// The multiprocessors of one device.
#[derive(Clone, Debug)]
pub(super) struct Compute {
    slice: Nanos,
    /// Round robin: the first has the device, exclusively.
    ring: VecDeque<Runnable>,
    /// When the first got the device, or a whole number of slices later.
    since: Nanos,
    /// Who had the device until it had nothing left to run: from when, and until when. What follows at that very instant goes on in
    /// the same slice.
    last: Option<(ProcessId, Nanos, Nanos)>,
}

impl Runnable {
    /// What all kernels together ask of the multiprocessors; at least the whole, so that none runs faster than stated.
    fn demand(&self) -> u128 {
        let asked: u64 = self.kernels.iter().map(|kernel| u64::from(kernel.sm.0)).sum();
        u128::from(asked.max(u64::from(Permille::WHOLE.0)))
    }

    /// Time until the first of its kernels is done, if it keeps the device.
    fn first_done(&self) -> Nanos {
        let left = self.kernels.iter().map(|kernel| kernel.left).min().unwrap_or(0);
        let time = (left * self.demand()).div_ceil(FINE * u128::from(Permille::WHOLE.0));
        Nanos(u64::try_from(time).unwrap_or(u64::MAX))
    }

    /// The share of the memory bandwidth its kernels use together.
    fn memory(&self) -> Permille {
        let used: u128 = self.kernels.iter().map(|kernel| u128::from(kernel.memory.0)).sum();
        let stretched = used * u128::from(Permille::WHOLE.0) / self.demand();
        Permille(u32::try_from(stretched).unwrap_or(u32::MAX).min(Permille::WHOLE.0))
    }

    fn progress(&mut self, span: Nanos) {
        let work = u128::from(span.0) * FINE * u128::from(Permille::WHOLE.0) / self.demand();
        for kernel in &mut self.kernels {
            kernel.left = kernel.left.saturating_sub(work);
        }
    }
}

impl Compute {
    pub(super) fn new(slice: Nanos) -> Self {
        Self { slice, ring: VecDeque::new(), since: Nanos::ZERO, last: None }
    }

    /// A kernel is ready to run.
    pub(super) fn admit(
        &mut self,
        now: Nanos,
        process: ProcessId,
        stream: StreamId,
        (duration, sm, memory): (Nanos, Permille, Permille),
    ) {
        let kernel = Resident { stream, left: u128::from(duration.0) * FINE, sm, memory };
        if let Some(runnable) = self.ring.iter_mut().find(|runnable| runnable.process == process) {
            runnable.kernels.push(kernel);
            return;
        }
        let runnable = Runnable { process, kernels: vec![kernel] };
        if let Some(since) = self.slice_of(now, process) {
            self.since = since;
            self.ring.push_front(runnable);
            return;
        }
        if self.ring.len() < 2 {
            self.since = self.slice_start(now);
        }
        self.ring.push_back(runnable);
    }

    /// Whether something of a process that takes no time has to wait for the process's slice, which it then does.
    pub(super) fn hold(&mut self, now: Nanos, process: ProcessId, stream: StreamId) -> bool {
        let is_first = self.ring.front().is_none_or(|first| first.process == process);
        let is_its_turn = is_first || self.slice_of(now, process).is_some();
        if !is_its_turn {
            self.admit(now, process, stream, (Nanos::ZERO, Permille::ZERO, Permille::ZERO));
        }
        !is_its_turn
    }

    /// The next instant at which a kernel is done or the device changes hands.
    pub(super) fn next_event(&self, now: Nanos) -> Option<Nanos> {
        let first = self.ring.front()?;
        let done = Nanos(now.0.saturating_add(first.first_done().0));
        Some(if self.ring.len() > 1 { done.min(self.since + self.slice) } else { done })
    }

    /// Time that what is on the multiprocessors for this stream still takes at the very least.
    pub(super) fn left(&self, stream: StreamId) -> Option<Nanos> {
        let mut kernels = self.ring.iter().flat_map(|runnable| &runnable.kernels);
        let kernel = kernels.find(|kernel| kernel.stream == stream)?;
        Some(Nanos(u64::try_from(kernel.left.div_ceil(FINE)).unwrap_or(u64::MAX)))
    }

    /// What has the device.
    pub(super) fn running(&self) -> Option<Ran> {
        self.ring.front().map(|first| Ran { process: first.process, memory: first.memory() })
    }

    /// Runs from `from` to `to`, between which there is no event, and says which streams' kernels are done.
    pub(super) fn run(&mut self, from: Nanos, to: Nanos) -> Vec<StreamId> {
        let Some(first) = self.ring.front_mut() else { return Vec::new() };
        first.progress(to - from);
        let done =
            first.kernels.extract_if(.., |kernel| kernel.left == 0).map(|kernel| kernel.stream).collect();
        if first.kernels.is_empty() {
            self.last = Some((first.process, self.since, to));
            self.ring.pop_front();
            self.since = to;
        } else if self.ring.len() > 1 && to >= self.since + self.slice {
            self.ring.rotate_left(1);
            self.since = to;
        }
        done
    }

    /// Takes the kernel of a stream off, done or not.
    pub(super) fn remove(&mut self, now: Nanos, stream: StreamId) {
        for runnable in &mut self.ring {
            runnable.kernels.retain(|kernel| kernel.stream != stream);
        }
        let first = self.ring.front().map(|first| first.process);
        self.ring.retain(|runnable| !runnable.kernels.is_empty());
        if self.ring.front().map(|first| first.process) != first {
            self.since = now;
        }
    }

    /// When the slice began of a process that had run out of work at this very instant, if it is not over.
    fn slice_of(&self, now: Nanos, process: ProcessId) -> Option<Nanos> {
        let (last, since, until) = self.last?;
        (last == process && until == now && now < since + self.slice).then_some(since)
    }

    /// When the current slice began, if the only process there is renewed its slice whenever it ended.
    fn slice_start(&self, now: Nanos) -> Nanos {
        if self.ring.is_empty() {
            return now;
        }
        let into = now.saturating_sub(self.since).0 % self.slice.0;
        now.saturating_sub(Nanos(into))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHOLE: (Nanos, Permille, Permille) = (Nanos(1000), Permille::WHOLE, Permille(500));
    const FIRST: ProcessId = ProcessId(1);
    const SECOND: ProcessId = ProcessId(2);

    /// Runs to the end and says when each stream's kernel was done.
    fn drain(compute: &mut Compute, mut now: Nanos) -> Vec<(u64, u64)> {
        let mut done = Vec::new();
        while let Some(next) = compute.next_event(now) {
            done.extend(compute.run(now, next).iter().map(|stream| (stream.0, next.0)));
            now = next;
        }
        done
    }

    fn kernel(duration: u64, sm: u32) -> (Nanos, Permille, Permille) {
        (Nanos(duration), Permille(sm), Permille::ZERO)
    }

    #[test]
    fn kernels_that_fit_beside_each_other_do_not_slow_each_other() {
        let mut compute = Compute::new(Nanos(100));
        compute.admit(Nanos(0), FIRST, StreamId(1), kernel(1000, 400));
        compute.admit(Nanos(0), FIRST, StreamId(2), kernel(500, 600));
        assert_eq!(drain(&mut compute, Nanos(0)), [(2, 500), (1, 1000)]);
    }

    #[test]
    fn kernels_that_do_not_fit_are_stretched_alike() {
        let mut compute = Compute::new(Nanos(100));
        compute.admit(Nanos(0), FIRST, StreamId(1), kernel(1000, 1000));
        compute.admit(Nanos(0), FIRST, StreamId(2), kernel(500, 1000));
        // Half speed until the shorter one is done at 1000, then 500 left at full speed.
        assert_eq!(drain(&mut compute, Nanos(0)), [(2, 1000), (1, 1500)]);
    }

    #[test]
    fn processes_take_turns_of_one_slice() {
        let mut compute = Compute::new(Nanos(100));
        compute.admit(Nanos(0), FIRST, StreamId(1), kernel(250, 1));
        compute.admit(Nanos(0), SECOND, StreamId(2), kernel(150, 1));
        // 1: 0-100, 2: 100-200, 1: 200-300, 2: 300-350, 1: 350-400.
        assert_eq!(drain(&mut compute, Nanos(0)), [(2, 350), (1, 400)]);
    }

    #[test]
    fn a_process_that_was_alone_ends_its_slice_when_another_comes() {
        let mut compute = Compute::new(Nanos(100));
        compute.admit(Nanos(0), FIRST, StreamId(1), kernel(1000, 1));
        assert_eq!(compute.run(Nanos(0), Nanos(250)), []);
        compute.admit(Nanos(250), SECOND, StreamId(2), kernel(10, 1));
        assert_eq!(compute.next_event(Nanos(250)), Some(Nanos(300)));
        assert_eq!(drain(&mut compute, Nanos(250)), [(2, 310), (1, 1010)]);
    }

    #[test]
    fn a_process_whose_kernels_follow_each_other_keeps_its_slice() {
        let mut compute = Compute::new(Nanos(100));
        compute.admit(Nanos(0), FIRST, StreamId(1), kernel(40, 1));
        compute.admit(Nanos(0), SECOND, StreamId(2), kernel(10, 1));
        assert_eq!(compute.run(Nanos(0), Nanos(40)), [StreamId(1)]);
        compute.admit(Nanos(40), FIRST, StreamId(1), kernel(80, 1));
        // 1: 40-100, 2: 100-110, 1: 110-130.
        assert_eq!(drain(&mut compute, Nanos(40)), [(2, 110), (1, 130)]);
    }

    #[test]
    fn what_takes_no_time_waits_for_the_slice_of_its_process() {
        let mut compute = Compute::new(Nanos(100));
        compute.admit(Nanos(0), FIRST, StreamId(1), kernel(250, 1));
        assert!(!compute.hold(Nanos(0), FIRST, StreamId(3)));
        assert!(compute.hold(Nanos(0), SECOND, StreamId(2)));
        assert_eq!(drain(&mut compute, Nanos(0)), [(2, 100), (1, 250)]);
    }

    #[test]
    fn an_idle_process_gives_its_slice_away() {
        let mut compute = Compute::new(Nanos(100));
        compute.admit(Nanos(0), FIRST, StreamId(1), kernel(10, 1));
        compute.admit(Nanos(0), SECOND, StreamId(2), kernel(10, 1));
        assert_eq!(drain(&mut compute, Nanos(0)), [(1, 10), (2, 20)]);
    }

    #[test]
    fn removing_the_process_on_the_device_starts_the_next_ones_slice() {
        let mut compute = Compute::new(Nanos(100));
        for (process, stream) in [(FIRST, 1), (SECOND, 2), (ProcessId(3), 3)] {
            compute.admit(Nanos(0), process, StreamId(stream), WHOLE);
        }
        compute.run(Nanos(0), Nanos(50));
        compute.remove(Nanos(50), StreamId(1));
        assert_eq!(compute.running().map(|ran| ran.process), Some(SECOND));
        assert_eq!(compute.next_event(Nanos(50)), Some(Nanos(150)));
    }

    #[test]
    fn memory_use_follows_the_kernels_and_never_passes_the_whole() {
        let mut compute = Compute::new(Nanos(100));
        compute.admit(Nanos(0), FIRST, StreamId(1), WHOLE);
        assert_eq!(compute.running().map(|ran| ran.memory), Some(Permille(500)));
        compute.admit(Nanos(0), FIRST, StreamId(2), (Nanos(1), Permille(1), Permille::WHOLE));
        assert_eq!(compute.running().map(|ran| ran.memory), Some(Permille::WHOLE));
    }
}
