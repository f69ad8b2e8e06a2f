//! The table of times.

use crate::machine;
use crate::start::{Company, Together, together};
use crate::statistics::{Added, median};
use crate::subject::{Setting, Subject};
use crate::work::Work;
use anyhow::{Context, Result};

/// Rounds of a line; native and preloaded take turns.
const ROUNDS: usize = 9;

/// Rounds of a line with many processes, of which each takes longer.
const CROWDED_ROUNDS: usize = 5;

/// Processes that start together.
const STARTERS: usize = 64;

/// What the project wants to reach; the numbers are those of its table of goals.
struct Goal {
    row: u32,
    what: &'static str,
    /// What is compared with `most`: the time added, or the library's alone.
    measure: Measure,
    /// In the unit of the row.
    most: i64,
    unit: &'static str,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Measure {
    Added,
    Whole,
}

/// One line of a row: the same work without and with the library.
struct Line {
    what: &'static str,
    setting: Setting,
    work: Work,
    /// What the driver alone does in its place.
    native: Work,
    count: u32,
    /// Other processes of the slice.
    company: usize,
}

const CALL: Goal = Goal {
    row: 1,
    what: "an intercepted call with no limit set",
    measure: Measure::Added,
    most: 15,
    unit: "ns",
};
const PAIR: Goal = Goal {
    row: 3,
    what: "an allocation and its free under a limit, the same however much is live and however many processes share it",
    measure: Measure::Added,
    most: 150,
    unit: "ns",
};
const REFUSAL: Goal = Goal {
    row: 4,
    what: "the refusal of what cannot fit beside own use",
    measure: Measure::Whole,
    most: 200,
    unit: "ns",
};
const START: Goal = Goal {
    row: 6,
    what: "64 processes starting together, from cuInit to the first allocation: the 99th percentile",
    measure: Measure::Added,
    most: 2000,
    unit: "us",
};

const CALLS: [Line; 1] =
    [line("cuDeviceTotalMem", Setting::Unlimited, Work::Report, Work::Report, 1_000_000, 0)];
const PAIRS: [Line; 6] = [
    pair("1 live", 1, 0),
    pair("1,000 live", 1000, 0),
    pair("100,000 live", 100_000, 0),
    pair("1 live, 8 processes", 1, 7),
    pair("1 live, 64 processes", 1, 63),
    pair("100,000 live, 64 processes", 100_000, 63),
];
/// The driver without a device grants what the library refuses.
const REFUSALS: [Line; 1] =
    [line("cuMemAlloc (native: granted)", Setting::Limited, Work::Refusal, Work::Grant, 500_000, 0)];

/// The rows and their lines; that of the start has its own.
const MEASURED: [(&Goal, &[Line]); 4] =
    [(&CALL, &CALLS), (&PAIR, &PAIRS), (&REFUSAL, &REFUSALS), (&START, &[])];

const fn pair(what: &'static str, live: u32, company: usize) -> Line {
    line(what, Setting::Limited, Work::Pair(live), Work::Pair(live), 300_000, company)
}

const fn line(
    what: &'static str,
    setting: Setting,
    work: Work,
    native: Work,
    count: u32,
    company: usize,
) -> Line {
    Line { what, setting, work, native, count, company }
}

/// Measures and prints every line of `wanted`, which are numbers of rows; of all rows if it is empty.
///
/// # Errors
/// A measured program failed, or a row is not measured here.
pub(crate) fn print(wanted: &[&str]) -> Result<()> {
    let wanted = parse(wanted)?;
    let subject = Subject::new()?;
    println!("What the library costs, beside the same work on the same driver without it.");
    println!("Machine: {}. The driver is a simulated one that does nothing.", machine::describe());
    println!("Calls are told in processor time (they never sleep), starts in time by the clock.");
    println!(
        "Each line: medians of {ROUNDS} rounds ({CROWDED_ROUNDS} with many processes), in which both take turns; of what is added also the [least..most] of a round."
    );
    for (goal, lines) in MEASURED.into_iter().filter(|(goal, _)| wanted.contains(&goal.row)) {
        match lines {
            [] => start(&subject)?,
            lines => rows(&subject, goal, lines)?,
        }
    }
    Ok(())
}

/// The rows with these numbers, or all.
fn parse(wanted: &[&str]) -> Result<Vec<u32>> {
    let all = MEASURED.map(|(goal, _)| goal.row);
    if wanted.is_empty() {
        return Ok(all.to_vec());
    }
    let row = |text: &&str| {
        let row = text.parse().ok().filter(|row| all.contains(row));
        row.with_context(|| format!("no row {text:?} is measured here; there are {all:?}"))
    };
    wanted.iter().map(row).collect()
}

fn rows(subject: &Subject, goal: &Goal, lines: &[Line]) -> Result<()> {
    goal.print();
    for line in lines {
        let _company = Company::of(subject, line.setting, line.company)?;
        let (mut native, mut library) = (Vec::new(), Vec::new());
        let rounds = if line.company == 0 { ROUNDS } else { CROWDED_ROUNDS };
        for _ in 0..rounds {
            native.push(subject.time(Setting::Native, line.native, line.count)?);
            library.push(subject.time(line.setting, line.work, line.count)?);
        }
        print_line(line.what, goal.unit, &native, &library, goal.verdict(&native, &library));
    }
    Ok(())
}

fn start(subject: &Subject) -> Result<()> {
    START.print();
    // As in a container that has run a program before, what a context takes is known.
    let _first = Company::of(subject, Setting::Limited, 1)?;
    let (mut native, mut library) = (Vec::new(), Vec::new());
    for _ in 0..CROWDED_ROUNDS {
        native.push(together(subject, Setting::Native, STARTERS)?);
        library.push(together(subject, Setting::Limited, STARTERS)?);
    }
    let of = |measure: fn(&Together) -> u64| {
        [&native, &library].map(|rounds| rounds.iter().map(|round| measure(round) / 1000).collect::<Vec<_>>())
    };
    let [native, library] = of(|round| round.p99);
    print_line("99th percentile", START.unit, &native, &library, START.verdict(&native, &library));
    for (what, measure) in [
        ("median (no goal)", (|round| round.median) as fn(&Together) -> u64),
        ("processor time of each (no goal)", |round| round.cpu),
    ] {
        let [native, library] = of(measure);
        print_line(what, START.unit, &native, &library, "");
    }
    println!(
        "  With fewer cores than processes, the last one waits for the processor time of all the others."
    );
    Ok(())
}

impl Goal {
    fn print(&self) {
        let Self { row, what, most, unit, .. } = self;
        let added = if self.measure == Measure::Added { " added" } else { "" };
        println!("\nRow {row}: {what}. Goal: at most {most} {unit}{added}.");
    }

    fn verdict(&self, native: &[u64], library: &[u64]) -> &'static str {
        let reached = match self.measure {
            Measure::Added => Added::of(native, library).median() <= self.most,
            Measure::Whole => i64::try_from(median(library)).is_ok_and(|whole| whole <= self.most),
        };
        if reached { "reached" } else { "not reached" }
    }
}

fn print_line(what: &str, unit: &str, native: &[u64], library: &[u64], verdict: &str) {
    let (added, native, library) = (Added::of(native, library), median(native), median(library));
    println!(
        "  {what:<33} native {native:>6} {unit}  library {library:>6} {unit}  added {added:<24} {verdict}"
    );
}
