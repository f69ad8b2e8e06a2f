//! The results as a page.

use super::table::{busy, number};
use crate::document::{Document, Line, Metric, Outcome};
use crate::goal::Verdict;
use std::fmt::Write;

/// The page; `plots` are names of files beside it.
pub(crate) fn page(document: &Document, plots: &[&str]) -> String {
    let names: Vec<&str> = document.interposers.iter().map(|subject| subject.name.as_str()).collect();
    let mut page = format!("# Interposers beside each other: {}\n\n", names.join(", "));
    let device = if document.on == "sim" { "the simulated card" } else { "a card" };
    let _ = writeln!(
        page,
        "On {device}: {}. Machine: {}. {}.\n",
        document.device, document.machine, document.began
    );
    if let Some(warning) = busy(document) {
        let _ = writeln!(page, "{warning}\n");
    }
    let _ = writeln!(page, "```\n{}\n```\n", document.command.join(" "));
    let _ = writeln!(
        page,
        "Each figure: the ratio to native, then the median and [least..most] of {} rounds, in which all take turns. **Bold**: \
         a goal of this project's is missed.\n",
        document.rounds
    );
    plots.iter().for_each(|plot| _ = writeln!(page, "![{plot}]({plot})\n"));
    document.metrics.iter().for_each(|metric| metric_section(&mut page, metric, &names));
    let _ = writeln!(page, "## Not measured\n\n| metric | name | why |\n| --- | --- | --- |");
    for omitted in &document.omitted {
        let _ = writeln!(page, "| {} | {} | {} |", omitted.id, omitted.name, omitted.reason);
    }
    page
}

fn metric_section(page: &mut String, metric: &Metric, names: &[&str]) {
    let Metric { id, name, unit, better, measures, published, lines } = metric;
    let _ = writeln!(page, "## {id} {name}\n\n{unit}; {better} is better. Measured: {measures}.");
    let _ = writeln!(page, "The published metric: {published}.\n");
    let _ = writeln!(page, "| line | goal | {} |", names.join(" | "));
    let _ = writeln!(page, "| --- | --- |{}", " --- |".repeat(names.len()));
    lines.iter().for_each(|line| _ = writeln!(page, "{}", row(line)));
    page.push('\n');
}

fn row(line: &Line) -> String {
    let goal =
        line.goal.as_ref().map_or_else(String::new, |goal| format!("{} (row {})", goal.text, goal.row));
    let cells: Vec<String> = line.figures.iter().map(|figure| cell(&figure.outcome)).collect();
    format!("| {} | {goal} | {} |", line.name, cells.join(" | "))
}

fn cell(outcome: &Outcome) -> String {
    match outcome {
        // A reason may be whatever a program said last.
        Outcome::Absent { reason } => format!("n/a: {}", reason.replace('|', "\\|")),
        Outcome::Measured { measured, verdict } => {
            let ratio = measured.ratio.map_or_else(String::new, |ratio| format!("{ratio:.2}x · "));
            let spread = measured.spread;
            let range = format!("[{}..{}]", number(spread.least), number(spread.most));
            let cell = format!("{ratio}{} {range}", number(spread.median));
            if *verdict == Some(Verdict::Missed) { format!("**{cell}**") } else { cell }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::Measured;
    use crate::metric::Relation;

    #[test]
    fn a_miss_is_bold_and_a_reason_breaks_no_table() {
        let measured = Measured::of(&[12.0], Some(&[10.0]), Relation::Beside);
        let missed = Outcome::Measured { measured, verdict: Some(Verdict::Missed) };
        assert_eq!(cell(&missed), "**1.20x · 12.00 [12.00..12.00]**");
        assert_eq!(cell(&Outcome::Absent { reason: "a|b".to_owned() }), "n/a: a\\|b");
    }
}
