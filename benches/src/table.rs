//! The table of times.

use crate::start::{Company, p99};
use crate::statistics::median;
use crate::subject::{Setting, Subject};
use crate::work::Work;
use anyhow::Result;

/// Rounds of each line; native and preloaded take turns.
const ROUNDS: usize = 7;

/// One line: the same work without and with the library.
struct Line {
    row: u32,
    what: &'static str,
    setting: Setting,
    work: Work,
    /// What the driver alone does in its place.
    native: Work,
    count: u32,
    /// Other processes of the slice.
    company: usize,
    goal: &'static str,
}

const LINES: [Line; 7] = [
    Line {
        row: 1,
        what: "an intercepted call, no limit set",
        setting: Setting::Unlimited,
        work: Work::Report,
        native: Work::Report,
        count: 1_000_000,
        company: 0,
        goal: "added <= 15 ns",
    },
    Line {
        row: 1,
        what: "alloc + free, no limit set (two calls)",
        setting: Setting::Unlimited,
        work: Work::Pair(1),
        native: Work::Pair(1),
        count: 500_000,
        company: 0,
        goal: "added <= 30 ns",
    },
    pair("alloc + free, 1 live", 1, 0),
    pair("alloc + free, 100,000 live", 100_000, 0),
    pair("alloc + free, 64 processes", 1, 63),
    pair("alloc + free, 100,000 live, 64 processes", 100_000, 63),
    Line {
        row: 4,
        what: "a refusal (native: the driver's call)",
        setting: Setting::Limited,
        work: Work::Refusal,
        native: Work::Grant,
        count: 500_000,
        company: 0,
        goal: "<= 200 ns",
    },
];

const fn pair(what: &'static str, live: u32, company: usize) -> Line {
    Line {
        row: 3,
        what,
        setting: Setting::Limited,
        work: Work::Pair(live),
        native: Work::Pair(live),
        count: 300_000,
        company,
        goal: "added <= 150 ns",
    }
}

/// Measures and prints every line.
///
/// # Errors
/// A measured program failed.
pub(crate) fn print() -> Result<()> {
    let subject = Subject::new()?;
    println!("{:>3}  {:<42} {:>9} {:>9} {:>9}   goal", "row", "what", "native", "library", "added");
    for line in &LINES {
        let _company = Company::of(&subject, line.setting, line.company)?;
        let (mut native, mut library) = (Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            native.push(subject.time(Setting::Native, line.native, line.count)?);
            library.push(subject.time(line.setting, line.work, line.count)?);
        }
        print_line(line.row, line.what, "ns", median(&native), median(&library), line.goal);
    }
    // As in a container that has run a program before, what a context takes is known.
    let _first = Company::of(&subject, Setting::Limited, 1)?;
    let (mut native, mut library) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        native.push(p99(&subject, Setting::Native, STARTERS)? / 1000);
        library.push(p99(&subject, Setting::Limited, STARTERS)? / 1000);
    }
    let what = "64 processes start together, p99";
    print_line(6, what, "us", median(&native), median(&library), "added <= 2000 us");
    Ok(())
}

const STARTERS: usize = 64;

fn print_line(row: u32, what: &str, unit: &str, native: u64, library: u64, goal: &str) {
    let added = i128::from(library) - i128::from(native);
    println!("{row:>3}  {what:<42} {native:>6} {unit} {library:>6} {unit} {added:>6} {unit}   {goal}");
}
