//! What came out, beside what was to be reached.

use std::fmt;
use std::time::Duration;

use crate::placing::Round;
use crate::scheduler::Beside;

/// Of the rate without the extender, in percent.
const RATE: f64 = 60.0;
/// Of the extender's time on a processor, for one pod.
const BUSY: Duration = Duration::from_millis(1);
/// Of bindings that did not come about, in percent.
const CONFLICTS: f64 = 1.0;

/// All of it.
pub(crate) struct Report {
    nodes: usize,
    pods: usize,
    alone: Vec<Duration>,
    beside: Vec<Round>,
    /// How many pods went to one node, and how.
    pub(crate) one_node: Option<(usize, Round)>,
    /// A pod that few nodes take.
    pub(crate) needle: Option<Round>,
}

impl Report {
    /// Nothing yet.
    pub(crate) fn new(nodes: usize, pods: usize) -> Self {
        Self { nodes, pods, alone: Vec::new(), beside: Vec::new(), one_node: None, needle: None }
    }

    /// Takes note of a round.
    pub(crate) fn note(&mut self, beside: Beside, round: Round) {
        match beside {
            Beside::Nobody => self.alone.push(round.took),
            Beside::Extender => self.beside.push(round),
        }
    }

    /// Pods a second.
    fn rate(&self, took: impl Iterator<Item = Duration> + Clone) -> f64 {
        let count = took.clone().count() * self.pods;
        count as f64 / took.sum::<Duration>().as_secs_f64().max(1e-9)
    }

    fn rates(&self) -> (f64, f64) {
        (self.rate(self.alone.iter().copied()), self.rate(self.beside.iter().map(|round| round.took)))
    }

    fn share(&self) -> f64 {
        let (alone, beside) = self.rates();
        100.0 * beside / alone
    }

    fn rounds(&self) -> impl Iterator<Item = &Round> {
        let others = self.one_node.iter().map(|(_, round)| round).chain(&self.needle);
        self.beside.iter().chain(others)
    }

    fn faults(&self) -> impl Iterator<Item = &String> {
        self.rounds().flat_map(|round| &round.faults)
    }

    /// Percent of bindings that did not come about.
    fn conflicts(&self) -> f64 {
        let (all, failed) = self
            .rounds()
            .filter_map(|round| round.binds)
            .fold((0, 0), |(all, failed), round| (all + round.0, failed + round.1));
        100.0 * failed as f64 / all.max(1) as f64
    }

    /// The extender's time on a processor: until it was ready, and for each pod.
    fn busy(&self) -> [Duration; 2] {
        let rounds = self.beside.len();
        let mean = |place: usize, parts: usize| {
            let all: Duration = self.beside.iter().filter_map(|round| Some(round.busy?[place])).sum();
            all / u32::try_from(parts).unwrap_or(u32::MAX).max(1)
        };
        [mean(0, rounds), mean(1, rounds * self.pods)]
    }

    /// Whether all that is a ratio or a count is as it is to be. Times depend on the machine, and are told; so is the rate of a
    /// program that is not made to be fast.
    pub(crate) fn is_reached(&self) -> bool {
        let is_fast = self.share() >= RATE || cfg!(debug_assertions);
        is_fast && self.faults().next().is_none() && self.conflicts() <= CONFLICTS
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ((alone, beside), [ready, busy]) = (self.rates(), self.busy());
        writeln!(
            f,
            "row 15: {} nodes of 8 GPUs, {} pods a round, two rounds each by turns",
            self.nodes, self.pods
        )?;
        writeln!(f, "  kube-scheduler alone            {alone:8.1} pods/s")?;
        writeln!(f, "  with the extender beside it     {beside:8.1} pods/s")?;
        writeln!(f, "  of that without it              {:8.1} %       (goal {RATE} %)", self.share())?;
        writeln!(
            f,
            "  extender on a processor         {:8.3} ms/pod  (goal {} ms), after {:.0} ms to be ready",
            ms(busy),
            ms(BUSY),
            ms(ready)
        )?;
        writeln!(
            f,
            "  bindings that failed            {:8.2} %       (goal {CONFLICTS} %)",
            self.conflicts()
        )?;
        if let Some((count, round)) = &self.one_node {
            writeln!(
                f,
                "  {count} pods bound to one node      {:8.2} s       (goal 5 s)",
                round.took.as_secs_f64()
            )?;
        }
        if let Some(round) = &self.needle {
            writeln!(
                f,
                "  a pod that ten nodes take, with the default sample, was placed after {:.1} s",
                round.took.as_secs_f64()
            )?;
        }
        if cfg!(debug_assertions) {
            writeln!(f, "  the extender is a debug build: how fast it is decides nothing here")?;
        }
        write!(f, "  over-allocations, wrong claims  {:8}         (goal 0)", self.faults().count())?;
        self.faults().try_for_each(|fault| write!(f, "\n    {fault}"))
    }
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
