//! What the project wants to reach; the numbers are those of its table of goals.

use benches::rounds::Rounds;
use benches::statistics::{Added, median};

/// One goal of a row.
pub(crate) struct Goal {
    pub(crate) row: u32,
    pub(crate) what: &'static str,
    /// What is compared with `most`.
    pub(crate) measure: Measure,
    /// In the unit of `measure`.
    pub(crate) most: i64,
    /// Of the figures.
    pub(crate) unit: &'static str,
}

/// What is compared with a goal.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Measure {
    /// What the library adds.
    Added,
    /// The same in millionths of what it takes natively.
    AddedPpm,
    /// What it takes with the library.
    Whole,
}

pub(crate) const CALL: Goal = Goal {
    row: 1,
    what: "an intercepted call that nothing limits",
    measure: Measure::Added,
    most: 15,
    unit: "ns",
};
pub(crate) const LAUNCH: Goal = Goal {
    row: 2,
    what: "a launch under a limit of compute for which it does not wait",
    measure: Measure::Added,
    most: 60,
    unit: "ns",
};
pub(crate) const LAUNCH_BESIDE_OTHERS: Goal =
    Goal { what: "the same with eight processes in the slice that launch", most: 100, ..LAUNCH };
pub(crate) const PAIR: Goal = Goal {
    row: 3,
    what: "an allocation and its free under a limit, the same however much is live and however many processes share it",
    measure: Measure::Added,
    most: 150,
    unit: "ns",
};
pub(crate) const REFUSAL: Goal = Goal {
    row: 4,
    what: "the refusal of what cannot fit beside own use",
    measure: Measure::Whole,
    most: 200,
    unit: "ns",
};
pub(crate) const START: Goal = Goal {
    row: 6,
    what: "64 processes starting together, from cuInit to the first allocation: the 99th percentile",
    measure: Measure::Added,
    most: 2000,
    unit: "us",
};
pub(crate) const PROGRAM: Goal = Goal {
    row: 11,
    what: "a program that launches kernels and waits for them, under limits that it does not reach",
    measure: Measure::AddedPpm,
    most: 5000,
    unit: "ns",
};
pub(crate) const POLLING_IDLE: Goal = Goal {
    row: 13,
    what: "the library's own threads in eight processes that do nothing, in millionths of a core",
    measure: Measure::Added,
    most: 3000,
    unit: "ppm",
};
pub(crate) const POLLING_BUSY: Goal = Goal {
    what: "the same in eight processes that launch four kernels of 1 ms by turns",
    most: 10_000,
    ..POLLING_IDLE
};

impl Goal {
    /// Says what it is, above its lines.
    pub(crate) fn print(&self) {
        let Self { row, what, most, unit, measure } = self;
        let (unit, added) = match measure {
            Measure::Added => (*unit, " added"),
            Measure::AddedPpm => ("millionths", " added"),
            Measure::Whole => (*unit, ""),
        };
        println!("\nRow {row}: {what}. Goal: at most {most} {unit}{added}.");
    }

    /// Prints a line of rounds that are judged by it.
    pub(crate) fn judge(&self, what: &str, rounds: &Rounds<u64>) {
        self.line(what, rounds, self.verdict(rounds));
    }

    /// The same with a remark; not judged where the same work differs by more than the goal from one time to the next.
    pub(crate) fn judge_beside(&self, what: &str, rounds: &Rounds<u64>, noise: u64, remark: &str) {
        let is_clear = i64::try_from(noise).is_ok_and(|noise| noise <= self.most);
        let verdict = if is_clear { self.verdict(rounds) } else { "inconclusive" };
        self.line(what, rounds, &format!("{verdict}; {remark}"));
    }

    fn verdict(&self, rounds: &Rounds<u64>) -> &'static str {
        let reached = match self.measure {
            Measure::Added | Measure::AddedPpm => self.added(rounds).median() <= self.most,
            Measure::Whole => i64::try_from(median(&rounds.library)).is_ok_and(|whole| whole <= self.most),
        };
        if reached { "reached" } else { "not reached" }
    }

    /// Prints a line that belongs to it without being judged.
    pub(crate) fn tell(&self, what: &str, rounds: &Rounds<u64>) {
        self.tell_beside(what, rounds, "");
    }

    /// The same with a remark.
    pub(crate) fn tell_beside(&self, what: &str, rounds: &Rounds<u64>, remark: &str) {
        self.line(&format!("{what} (no goal)"), rounds, remark);
    }

    fn line(&self, what: &str, rounds: &Rounds<u64>, verdict: &str) {
        let unit = self.unit;
        let of_native = if self.measure == Measure::AddedPpm { " ppm" } else { "" };
        let added = format!("{}{of_native}", self.added(rounds));
        let (native, library) = (median(&rounds.native), median(&rounds.library));
        println!(
            "  {what:<33} native {native:>6} {unit}  library {library:>6} {unit}  added {added:<24} {verdict}"
        );
    }

    /// What the library adds, in the unit in which that is told.
    fn added(&self, Rounds { native, library }: &Rounds<u64>) -> Added {
        match self.measure {
            Measure::AddedPpm => Added::ppm(native, library),
            Measure::Added | Measure::Whole => Added::of(native, library),
        }
    }
}
