//! The results on a terminal: the ratio to the native figure first.

use crate::document::{Document, Figure, Line, Metric, Outcome};
use crate::goal::Verdict;
use crate::metric;
use crate::metrics::OMITTED;

/// Says what will be measured.
pub(crate) fn head(document: &Document) {
    let names: Vec<&str> = document.interposers.iter().map(|subject| subject.name.as_str()).collect();
    let device = if document.on == "sim" { "the simulated card" } else { "this machine's card" };
    println!("{} on {device}: {}. Machine: {}.", names.join(", "), document.device, document.machine);
    println!(
        "Each line: its ratio to native, then the median and [least..most] of {} rounds, in which all take turns.",
        document.rounds
    );
    if let Some(warning) = busy(document) {
        println!("{warning}");
    }
}

/// A warning, if others keep the machine busy.
pub(crate) fn busy(document: &Document) -> Option<String> {
    let load = document.load.filter(|load| *load > 1.0)?;
    Some(format!(
        "Others use this machine ({load:.1} threads wanted to run in the last minute): times by the clock and shares say little."
    ))
}

/// Prints a metric.
pub(crate) fn metric(metric: &Metric) {
    let Metric { id, name, unit, better, measures, .. } = metric;
    println!("\n{id}  {name}  ({unit}; {better} is better)\n        {measures}");
    for line in &metric.lines {
        println!("    {}{}", line.name, goal(line));
        line.figures.iter().for_each(figure);
    }
}

fn goal(line: &Line) -> String {
    line.goal.as_ref().map_or_else(String::new, |goal| format!("  (goal, row {}: {})", goal.row, goal.text))
}

fn figure(figure: &Figure) {
    println!("      {:<12} {}", figure.interposer, text(&figure.outcome));
}

/// A figure in a line.
pub(crate) fn text(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Absent { reason } => format!("n/a: {reason}"),
        Outcome::Measured { measured, verdict } => {
            let ratio = measured.ratio.map_or_else(|| "     -".to_owned(), |ratio| format!("{ratio:>5.2}x"));
            let spread = measured.spread;
            let range = format!("[{}..{}]", number(spread.least), number(spread.most));
            let added =
                measured.added.map_or_else(String::new, |added| format!("{:+.*}", digits(added), added));
            let verdict = match verdict {
                Some(Verdict::Reached) => "reached",
                Some(Verdict::Missed) => "MISSED",
                Some(Verdict::Inconclusive) => "inconclusive",
                None => "",
            };
            let line = format!("{ratio}  {:>10} {range:<22} {added:>10}  {verdict}", number(spread.median));
            line.trim_end().to_owned()
        }
    }
}

/// A number with as many digits as say something.
pub(crate) fn number(value: f64) -> String {
    format!("{value:.*}", digits(value))
}

fn digits(value: f64) -> usize {
    match value.abs() {
        large if large >= 1000.0 => 0,
        medium if medium >= 100.0 => 1,
        0.0 => 0,
        part if part <= 1.0 => 4,
        _ => 2,
    }
}

/// Says which goals were missed, and where nothing was measured.
pub(crate) fn foot(document: &Document) {
    println!("\nMeasured in {} s.", document.seconds);
    let unclear = document.count(Verdict::Inconclusive);
    if unclear > 0 {
        println!(
            "Inconclusive, because the machine had no time: {unclear}. Repeat it when nothing else runs."
        );
    }
    let lines =
        document.metrics.iter().flat_map(|metric| metric.lines.iter().map(move |line| (metric, line)));
    let missed: Vec<String> = lines
        .flat_map(|(metric, line)| {
            line.missed_by().map(move |name| format!("{name}: {} {}", metric.id, line.name))
        })
        .collect();
    if missed.is_empty() {
        println!("No goal is missed.");
    } else {
        println!("Goals missed: {}\n  {}", missed.len(), missed.join("\n  "));
    }
}

/// Says what each metric is.
pub(crate) fn list(metrics: &[metric::Metric]) {
    for metric in metrics {
        println!("{}  {} ({})", metric.id, metric.name, metric.unit);
        println!("    measured here: {}\n    published: {}", metric.measures, metric.published);
    }
    println!("\nNot measured:");
    for omitted in &OMITTED {
        println!("  {}  {}: {}", omitted.id, omitted.name, omitted.reason);
    }
}
