//! The table of times.

use crate::bare;
use crate::goal::{CALL, Goal, LAUNCH, LAUNCH_BESIDE_OTHERS, PAIR, POLLING_IDLE, PROGRAM, REFUSAL, START};
use crate::{polling, programs};
use anyhow::{Context, Result};
use benches::machine;
use benches::rounds::Rounds;
use benches::start::{Company, Together, together};
use benches::subject::{Setting, Subject};
use benches::work::Work;

/// Rounds of a line; native and preloaded take turns.
const ROUNDS: usize = 9;

/// Rounds of a line with many processes, of which each takes longer.
const CROWDED_ROUNDS: usize = 5;

/// Processes that start together.
const STARTERS: usize = 64;

/// Rounds of the line about a program that is over at once.
const BARE_ROUNDS: usize = 201;

/// One line of a row: the same work without and with the library.
struct Line {
    what: &'static str,
    setting: Setting,
    work: Work,
    /// What the driver alone does in its place.
    native: Work,
    count: u32,
    /// Other processes of the slice, and what they do.
    company: (usize, Work),
    has_goal: bool,
}

/// How a row is measured.
#[derive(Clone, Copy)]
enum Rows {
    /// Work by work, in processes of their own.
    Lines(&'static [Line]),
    Start,
    Programs,
    Polling,
}

const CALLS: [Line; 3] = [
    line("cuDeviceTotalMem", Setting::Unlimited, Work::Report, 1_000_000),
    line("cuLaunchKernel", Setting::Unlimited, Work::Launch, 1_000_000),
    line("cuLaunchKernel, memory limited", Setting::Limited, Work::Launch, 1_000_000),
];
const LAUNCHES: [Line; 1] = [line("1 process", Setting::Shared, Work::Launch, 1_000_000)];
const LAUNCHES_BESIDE_OTHERS: [Line; 1] =
    [line("8 processes", Setting::Shared, Work::Launch, 1_000_000).beside(7, Work::Hum)];
const PAIRS: [Line; 7] = [
    pair("1 live", 1, 0),
    pair("1,000 live", 1000, 0),
    pair("100,000 live", 100_000, 0),
    pair("1 live, 8 processes", 1, 7),
    pair("1 live, 64 processes", 1, 63),
    pair("100,000 live, 64 processes", 100_000, 63),
    line("100,000 live, oldest freed", Setting::Limited, Work::Turnover(100_000), 300_000).without_goal(),
];
/// The driver without a device grants what the library refuses.
const REFUSALS: [Line; 1] = [Line {
    native: Work::Grant,
    ..line("cuMemAlloc (native: granted)", Setting::Limited, Work::Refusal, 500_000)
}];

/// The rows, by the goals of each.
const MEASURED: [(&Goal, Rows); 8] = [
    (&CALL, Rows::Lines(&CALLS)),
    (&LAUNCH, Rows::Lines(&LAUNCHES)),
    (&LAUNCH_BESIDE_OTHERS, Rows::Lines(&LAUNCHES_BESIDE_OTHERS)),
    (&PAIR, Rows::Lines(&PAIRS)),
    (&REFUSAL, Rows::Lines(&REFUSALS)),
    (&START, Rows::Start),
    (&PROGRAM, Rows::Programs),
    (&POLLING_IDLE, Rows::Polling),
];

const fn pair(what: &'static str, live: u32, company: usize) -> Line {
    line(what, Setting::Limited, Work::Pair(live), 300_000).beside(company, Work::Stay)
}

const fn line(what: &'static str, setting: Setting, work: Work, count: u32) -> Line {
    Line { what, setting, work, native: work, count, company: (0, Work::Stay), has_goal: true }
}

impl Line {
    /// The same beside so many others that do `work`.
    const fn beside(self, others: usize, work: Work) -> Self {
        Self { company: (others, work), ..self }
    }

    /// The same, told beside those that are judged.
    const fn without_goal(self) -> Self {
        Self { has_goal: false, ..self }
    }
}

/// Measures and prints every line of `wanted`, which are numbers of rows; of all rows if it is empty.
///
/// # Errors
/// A measured program failed, or a row is not measured here.
pub(crate) fn print(wanted: &[&str]) -> Result<()> {
    let wanted = parse(wanted)?;
    let subject = Subject::new()?;
    println!("What the library costs, beside the same work on the same driver without it.");
    println!("Machine: {}. The driver is a simulated one that does nothing;", machine::describe());
    println!("in rows 11 and 13 one with a device, whose kernels take the time that they are said to take.");
    println!(
        "Calls are told in processor time (they never sleep), starts and programs in time by the clock."
    );
    println!(
        "Each line: medians of {ROUNDS} rounds ({CROWDED_ROUNDS} with many processes), in which both take turns; of what is added also the [least..most] of a round."
    );
    for (goal, rows) in MEASURED.into_iter().filter(|(goal, _)| wanted.contains(&goal.row)) {
        match rows {
            Rows::Lines(lines) => print_lines(&subject, goal, lines)?,
            Rows::Start => start(&subject)?,
            Rows::Programs => programs::print(&subject)?,
            Rows::Polling => polling::print(&subject)?,
        }
    }
    Ok(())
}

/// The rows with these numbers, or all.
fn parse(wanted: &[&str]) -> Result<Vec<u32>> {
    let mut all = MEASURED.map(|(goal, _)| goal.row).to_vec();
    all.dedup();
    if wanted.is_empty() {
        return Ok(all);
    }
    let row = |text: &&str| {
        let row = text.parse().ok().filter(|row| all.contains(row));
        row.with_context(|| format!("no row {text:?} is measured here; there are {all:?}"))
    };
    wanted.iter().map(row).collect()
}

fn print_lines(subject: &Subject, goal: &Goal, lines: &[Line]) -> Result<()> {
    goal.print();
    for line in lines {
        let (others, work) = line.company;
        let _company = Company::of(subject, line.setting, work, others)?;
        let rounds = Rounds::of(
            if others == 0 { ROUNDS } else { CROWDED_ROUNDS },
            || subject.time(Setting::Native, line.native, line.count),
            || subject.time(line.setting, line.work, line.count),
        )?;
        if line.has_goal {
            goal.judge(line.what, &rounds);
        } else {
            goal.tell(line.what, &rounds);
        }
    }
    Ok(())
}

fn start(subject: &Subject) -> Result<()> {
    START.print();
    // As in a container that has run a program before, what a context takes is known.
    let _first = Company::of(subject, Setting::Limited, Work::Stay, 1)?;
    let rounds = Rounds::of(
        CROWDED_ROUNDS,
        || together(subject, Setting::Native, STARTERS),
        || together(subject, Setting::Limited, STARTERS),
    )?;
    let us = |time: fn(&Together) -> u64| rounds.figures(|round| time(round) / 1000);
    START.judge("99th percentile", &us(|round| round.p99));
    START.tell("median", &us(|round| round.median));
    START.tell("processor time of each", &us(|round| round.cpu));
    println!(
        "  With fewer cores than processes, the last one waits for the processor time of all the others."
    );
    let alone = |setting| bare::start(subject, setting);
    let rounds = Rounds::of(BARE_ROUNDS, || alone(Setting::Native), || alone(Setting::Limited))?;
    START.tell("`true`", &rounds.figures(|time| time / 1000));
    println!(
        "  The last line is a program without CUDA: its processor time, medians of {BARE_ROUNDS} rounds."
    );
    Ok(())
}
