//! How exactly compute shares hold, on a virtual clock.
//!
//! `shares PAGE [--quick] [--write] [FILTER]` prints the table, or those lines of it whose name contains the filter. It is the same
//! on every machine, so it fails if it is not what the page says, which `--write` makes it. Figures that miss their goal are
//! bold, are named at the end, and make it fail as well.

#![forbid(unsafe_code)]

mod cell;
mod judge;
mod limiter;
mod owner;
mod page;
mod process;
mod report;
mod sections;
mod tenant;
mod workload;
mod world;

use std::fmt::Write;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context, Result, bail};
use report::{Figure, Line, Section};

fn main() -> std::process::ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match answer(&arguments) {
        Ok(()) => std::process::ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("shares: {error:#}");
            std::process::ExitCode::FAILURE
        }
    }
}

fn answer(arguments: &[String]) -> Result<()> {
    let (flags, words): (Vec<&str>, Vec<&str>) =
        arguments.iter().map(String::as_str).partition(|argument| argument.starts_with("--"));
    let (quick, write) = match *flags.as_slice() {
        [] => (false, false),
        ["--quick"] => (true, false),
        ["--write"] => (false, true),
        _ => bail!("usage: shares PAGE [--quick | --write] [FILTER]"),
    };
    let (place, words) = words.split_first().context("which page has the table?")?;
    let filter = words.join(" ");
    if write && !filter.is_empty() {
        bail!("--write {filter}: the page has all of the table");
    }
    let mut sections = sections::all();
    for section in &mut sections {
        let name = |line: &Line| format!("{}: {}", section.title, line.name);
        section.lines.retain(|line| (line.quick || !quick) && name(line).contains(&filter));
    }
    if sections.iter().all(|section| section.lines.is_empty()) {
        bail!("no line's name contains {filter:?}; write a part of a title as the page has it");
    }
    let (table, missed) = table(&sections);
    print!("{table}");
    let page = std::fs::read_to_string(place).with_context(|| format!("cannot read {place}"))?;
    if write {
        let page = page::with(&page, &table)?;
        std::fs::write(place, page).with_context(|| format!("cannot write {place}"))?;
    } else {
        page::check(&page, &table).with_context(|| (*place).to_owned())?;
    }
    if missed.is_empty() { Ok(()) } else { bail!("{} miss a goal:\n  {}", missed.len(), missed.join("\n  ")) }
}

/// Sections in Markdown, and which lines miss a goal without an excuse.
fn table(sections: &[Section]) -> (String, Vec<String>) {
    let lines: Vec<&Line> = sections.iter().flat_map(|section| &section.lines).collect();
    let mut figures = run(&lines).into_iter();
    let (mut text, mut missed) = (String::new(), Vec::new());
    for section in sections.iter().filter(|section| !section.lines.is_empty()) {
        let _ = writeln!(text, "{}", section.heading());
        let mut excuses = String::new();
        for (line, figures) in section.lines.iter().zip(figures.by_ref()) {
            let _ = writeln!(text, "{}", report::line(&line.name, &figures));
            match line.excuse {
                _ if figures.iter().all(|figure| !figure.missed) => {}
                Some(excuse) => _ = writeln!(excuses, "\n{}: {excuse}.", line.name),
                None => missed.push(format!("{}: {}", section.title, line.name)),
            }
        }
        let _ = writeln!(text, "{excuses}");
    }
    (text, missed)
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
