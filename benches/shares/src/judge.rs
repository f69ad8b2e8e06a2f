//! What really happened, by the machine's own account of who had the card when.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Duration;

use sim_model::Nanos;

use crate::cell::SECOND;
use crate::world::{Pid, World};

/// How often the judge looks.
pub(crate) const STEP: Nanos = Nanos::from_millis(10);

/// What a process did up to an instant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Done {
    pub(crate) busy: Nanos,
    pub(crate) kernels: u64,
}

/// What every process did up to each step since the judge came.
pub(crate) struct Record {
    start: Nanos,
    steps: RefCell<Vec<BTreeMap<Pid, Done>>>,
}

/// How well a share was kept over a span of time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Kept {
    /// Share of the card, in percent.
    pub(crate) achieved: f64,
    /// Mean of the absolute errors of the windows, in points.
    pub(crate) error: f64,
    /// The largest of them.
    pub(crate) worst: f64,
}

impl Record {
    /// Looks every [`STEP`] from now on.
    pub(crate) fn begin(world: &Rc<World>) -> Rc<Self> {
        let record = Rc::new(Self { start: world.now(), steps: RefCell::default() });
        let (world, own) = (Rc::clone(world), Rc::clone(&record));
        Rc::clone(&world).spawn(Pid::NOBODY, async move {
            loop {
                own.look(&world);
                world.sleep(STEP).await;
            }
        });
        record
    }

    /// When the judge came.
    pub(crate) fn start(&self) -> Nanos {
        self.start
    }

    /// Busy time of processes from one instant to another, both in whole steps since the judge came.
    pub(crate) fn busy(&self, of: &[Pid], from: Nanos, to: Nanos) -> Nanos {
        self.at(of, to).busy - self.at(of, from).busy
    }

    /// Kernels that processes completed in a second between two such instants.
    pub(crate) fn kernels_per_second(&self, of: &[Pid], from: Nanos, to: Nanos) -> f64 {
        let kernels = self.at(of, to).kernels - self.at(of, from).kernels;
        f64::from(u32::try_from(kernels).unwrap_or(u32::MAX))
            / Duration::from_nanos((to - from).0).as_secs_f64()
    }

    /// Share of the card that processes had, in percent.
    pub(crate) fn percent(&self, of: &[Pid], from: Nanos, to: Nanos) -> f64 {
        100.0 * ratio(self.busy(of, from, to), to - from)
    }

    /// How well `target` percent were kept in windows of one second.
    pub(crate) fn kept(&self, of: &[Pid], target: f64, from: Nanos, to: Nanos) -> Kept {
        let errors: Vec<f64> = self
            .windows(of, (from, to), SECOND, SECOND)
            .map(|(_, percent)| (percent - target).abs())
            .collect();
        let worst = errors.iter().copied().fold(0.0, f64::max);
        let count = u32::try_from(errors.len().max(1)).map_or(f64::INFINITY, f64::from);
        Kept { achieved: self.percent(of, from, to), error: errors.iter().sum::<f64>() / count, worst }
    }

    /// How long after `from` it took until every window of `length` up to `to` was within `tolerance` points.
    pub(crate) fn settled(
        &self,
        of: &[Pid],
        (target, tolerance): (f64, f64),
        (from, to): (Nanos, Nanos),
        length: Nanos,
    ) -> Option<Nanos> {
        let mut settled = Some(from);
        for (start, percent) in self.windows(of, (from, to), length, STEP) {
            let is_within = (percent - target).abs() <= tolerance;
            settled = if is_within { settled.or(Some(start)) } else { None };
        }
        settled.map(|settled| settled - from)
    }

    /// Start and percent of each window.
    fn windows(
        &self,
        of: &[Pid],
        (from, to): (Nanos, Nanos),
        length: Nanos,
        stride: Nanos,
    ) -> impl Iterator<Item = (Nanos, f64)> {
        let starts = (0..).map(move |number| Nanos(from.0 + number * stride.0));
        let windows = starts.take_while(move |start| *start + length <= to);
        windows.map(move |start| (start, self.percent(of, start, start + length)))
    }

    fn at(&self, of: &[Pid], instant: Nanos) -> Done {
        let step = usize::try_from(instant.0 / STEP.0).unwrap_or(usize::MAX);
        let steps = self.steps.borrow();
        let done = &steps[step];
        of.iter().filter_map(|pid| done.get(pid)).fold(Done::default(), |sum, one| Done {
            busy: sum.busy + one.busy,
            kernels: sum.kernels + one.kernels,
        })
    }

    fn look(&self, world: &World) {
        debug_assert_eq!((world.now() - self.start).0 % STEP.0, 0, "looks are in step");
        let mut steps = self.steps.borrow_mut();
        // A process that ended keeps what it had at the last look.
        let mut done = steps.last().cloned().unwrap_or_default();
        for process in world.machine(|machine| machine.truth()).processes {
            done.insert(Pid(process.pid), Done { busy: process.busy, kernels: process.kernels });
        }
        steps.push(done);
    }
}

/// Jain's index of fairness: 1 when all have the same.
pub(crate) fn jain(shares: &[f64]) -> f64 {
    let (sum, squares) =
        shares.iter().fold((0.0, 0.0), |(sum, squares), one| (sum + one, squares + one * one));
    let count = u32::try_from(shares.len()).map_or(f64::NAN, f64::from);
    sum * sum / (count * squares)
}

/// The value below which 99 of a hundred lie.
pub(crate) fn percentile_99(mut values: Vec<Nanos>) -> Nanos {
    values.sort_unstable();
    let at = (values.len() * 99).div_ceil(100).saturating_sub(1);
    values.get(at).copied().unwrap_or_default()
}

/// One span in another.
pub(crate) fn ratio(part: Nanos, whole: Nanos) -> f64 {
    Duration::from_nanos(part.0).div_duration_f64(Duration::from_nanos(whole.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PID: Pid = Pid(1);

    /// A process that has so many milliseconds of each step of ten.
    fn record(busy: impl Iterator<Item = u64>) -> Record {
        let mut sum = Nanos::ZERO;
        let steps = std::iter::once(0).chain(busy).map(|busy| {
            sum += Nanos::from_millis(busy);
            BTreeMap::from([(PID, Done { busy: sum, kernels: 0 })])
        });
        Record { start: Nanos::ZERO, steps: RefCell::new(steps.collect()) }
    }

    #[test]
    fn a_share_is_judged_second_by_second() {
        let record = record((0..200).map(|step| if step < 100 { 2 } else { 4 }));
        let kept = record.kept(&[PID], 30.0, Nanos::ZERO, Nanos::from_millis(2000));
        assert_eq!((kept.achieved, kept.error, kept.worst), (30.0, 10.0, 10.0));
    }

    #[test]
    fn a_share_has_settled_when_it_stays() {
        let record = record([9, 3, 3, 9, 3, 3, 3].into_iter());
        let settled = |from| {
            record.settled(&[PID], (30.0, 2.0), (Nanos::from_millis(from), Nanos::from_millis(70)), STEP)
        };
        assert_eq!(settled(0), Some(Nanos::from_millis(40)));
        assert_eq!(settled(40), Some(Nanos::ZERO));
    }

    #[test]
    fn equal_shares_are_fair_and_the_slowest_of_a_hundred_is_not_the_slowest() {
        assert!((jain(&[5.0, 5.0, 5.0]) - 1.0).abs() < 1e-9 && (jain(&[1.0, 0.0]) - 0.5).abs() < 1e-9);
        assert_eq!(percentile_99((1..=200).map(Nanos).collect()), Nanos(198));
    }
}
