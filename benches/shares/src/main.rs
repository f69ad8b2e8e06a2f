//! How exactly compute shares hold, on a virtual clock.
//!
//! `shares [--quick] [FILTER]` prints the table, or those lines of it whose name contains the filter. It is the same on
//! every machine. Figures that miss their goal are bold, are named at the end, and make it fail.

#![forbid(unsafe_code)]

mod cell;
mod judge;
mod limiter;
mod owner;
mod process;
mod report;
mod sections;
mod tenant;
mod workload;
mod world;

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Result, bail};
use report::{Figure, Line, Section};

fn main() -> std::process::ExitCode {
    match table() {
        Ok(()) => std::process::ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("shares: {error:#}");
            std::process::ExitCode::FAILURE
        }
    }
}

fn table() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (flags, words): (Vec<&str>, Vec<&str>) =
        arguments.iter().map(String::as_str).partition(|argument| argument.starts_with("--"));
    let quick = match *flags.as_slice() {
        [] => false,
        ["--quick"] => true,
        _ => bail!("usage: shares [--quick] [FILTER]"),
    };
    let filter = words.join(" ");
    let mut sections = sections::all();
    for section in &mut sections {
        section.lines.retain(|line| {
            (line.quick || !quick) && format!("{}: {}", section.title, line.name).contains(&filter)
        });
    }
    let missed = print(&sections);
    if !missed.is_empty() {
        bail!("{} miss a goal:\n  {}", missed.len(), missed.join("\n  "));
    }
    Ok(())
}

/// Prints sections; answers which lines miss a goal.
fn print(sections: &[Section]) -> Vec<String> {
    let lines: Vec<&Line> = sections.iter().flat_map(|section| &section.lines).collect();
    let mut figures = run(&lines).into_iter();
    let mut missed = Vec::new();
    for section in sections.iter().filter(|section| !section.lines.is_empty()) {
        println!("{}", section.heading());
        for (line, figures) in section.lines.iter().zip(figures.by_ref()) {
            println!("{}", report::line(&line.name, &figures));
            if figures.iter().any(|figure| figure.missed) {
                missed.push(format!("{}: {}", section.title, line.name));
            }
        }
        println!();
    }
    missed
}

/// Runs lines on all processors; each is a world of its own, so their order does not matter.
fn run(lines: &[&Line]) -> Vec<Vec<Figure>> {
    let results: Vec<Mutex<Vec<Figure>>> = lines.iter().map(|_| Mutex::default()).collect();
    let next = AtomicUsize::new(0);
    let work = || {
        while let Some(at) = Some(next.fetch_add(1, Ordering::Relaxed)).filter(|at| *at < lines.len()) {
            *results[at].lock().expect("no other holder panicked") = (lines[at].run)();
        }
    };
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(work);
        }
    });
    results.into_iter().map(|result| result.into_inner().expect("no holder panicked")).collect()
}
