//! Does this machine's driver do what the table and NVIDIA's documentation say? The same questions to the simulated driver
//! and to a real one, with the preload library in front of it or without.
//!
//! `conformance [GROUP...]` prints a line a question: `ok NAME`, `fail NAME: what was found`, `skip NAME: why`, or
//! `fact NAME: VALUE` for what differs between drivers and cards. The last line is `N passed, N failed, N skipped`; the
//! exit status is 1 when something failed. Each group runs in a process of its own, so that a crash is one failure.
//! It allocates a few MiB, so it also runs in a small slice of a card.

mod arrays;
mod before_init;
mod calls;
mod context_limits;
mod contexts;
mod copies;
mod devices;
mod exports;
mod graphs;
mod green;
mod launch;
mod linear;
mod lookup;
mod managed;
mod management;
mod pitched;
mod pools;
mod report;
mod start;
mod streams;
mod virtual_memory;

use report::{Report, Totals};
use sim_apps::Failure;
use std::process::ExitCode;

/// A group of questions.
type Group = (&'static str, fn(&mut Report) -> Result<(), Failure>);

const GROUPS: &[Group] = &[
    ("exports", exports::run),
    ("lookup", lookup::run),
    ("before-init", before_init::run),
    ("start", start::run),
    ("devices", devices::run),
    ("contexts", contexts::run),
    ("context-limits", context_limits::run),
    ("green", green::run),
    ("linear", linear::run),
    ("pitched", pitched::run),
    ("managed", managed::run),
    ("pools", pools::run),
    ("arrays", arrays::run),
    ("graphs", graphs::run),
    ("virtual-memory", virtual_memory::run),
    ("copies", copies::run),
    ("streams", streams::run),
    ("launch", launch::run),
    ("management", management::run),
];

/// The first argument of the process of a group.
const ALONE: &str = "--alone";

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    if let [alone, name] = arguments.as_slice()
        && alone == ALONE
    {
        return run_alone(name);
    }
    if let Some(unknown) = arguments.iter().find(|name| !GROUPS.iter().any(|(group, _)| group == name)) {
        let names: Vec<_> = GROUPS.iter().map(|(name, _)| *name).collect();
        eprintln!("conformance: `{unknown}` is no group; there are {}", names.join(", "));
        return ExitCode::from(2);
    }
    let mut totals = Totals::default();
    for (name, _) in GROUPS {
        if arguments.is_empty() || arguments.iter().any(|wanted| wanted == name) {
            totals.add(report::in_a_process(&[ALONE, name], name));
        }
    }
    println!("{totals}");
    if totals.failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Runs one group in this process. Its lines are counted by whoever started it.
fn run_alone(name: &str) -> ExitCode {
    let Some((name, run)) = GROUPS.iter().find(|(group, _)| *group == name) else { return ExitCode::from(2) };
    let mut report = Report::of(name);
    if let Err(failure) = run(&mut report) {
        report.fail("the rest", failure);
    }
    ExitCode::SUCCESS
}
