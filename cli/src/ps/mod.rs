//! `vgpu ps`: the processes of this user's slices.

pub(crate) mod json;

use crate::args::PsArgs;
use crate::failure::Failure;
use crate::say::{print, print_json, say, warn};
use crate::show::{self, Align, Clock, Row, Seen, Table, Watch, ago, columns, lasted, limited, shared};
use monitor::slices::{Compute, LastRefusal, MemoryClass};

/// Prints them.
pub(crate) fn ps(args: &PsArgs) -> Result<(), Failure> {
    let Seen { slices, faults } = Watch::default().look_once();
    faults.iter().for_each(warn);
    if args.json {
        return print_json(&json::document(&slices));
    }
    if slices.is_empty() {
        say("no slice of this user is running; start one with vgpu run --memory SIZE -- COMMAND");
        return Ok(());
    }
    show::unsupervised(&slices).for_each(warn);
    print(&(lines(&show::rows(&slices), show::now(), columns()).join("\n") + "\n"))
}

/// Headings and rows, each at most `columns` wide.
pub(crate) fn lines(rows: &[Row], now: Clock, columns: usize) -> Vec<String> {
    let mut table = Table::new([
        ("SLICE", Align::Left),
        ("PID", Align::Right),
        ("GPU", Align::Left),
        ("USED / LIMIT", Align::Right),
        ("PEAK", Align::Right),
        ("CONTEXT", Align::Right),
        ("TIME / SHARE", Align::Right),
        ("WAITED", Align::Right),
        ("LAUNCHES", Align::Right),
        ("REFUSED", Align::Right),
        ("LAST REFUSED", Align::Right),
        ("COMMAND", Align::Left),
    ]);
    rows.iter().for_each(|row| table.row(cells(row, now)));
    table.lines(columns)
}

/// The cells of one row, in the order of the columns.
fn cells(row: &Row, now: Clock) -> [String; 12] {
    let none = || "-".to_owned();
    let mut cells = std::array::from_fn(|_| none());
    cells[0].clone_from(&row.slice);
    cells[1] = row.pid.map_or_else(none, |pid| pid.to_string());
    if let Some(share) = &row.share {
        let usage = &share.usage;
        cells[2].clone_from(&share.gpu);
        cells[3] = limited(usage.used, share.limit);
        cells[4] = usage.peak.human().to_string();
        cells[5] = usage.overhead.human().to_string();
        cells[6..9].clone_from_slice(&compute(&usage.compute));
        cells[9] = usage.refused.to_string();
    }
    cells[10] = row.last_refusal.map_or_else(none, |last| last_refusal(last, now));
    cells[11].clone_from(&row.command);
    cells
}

/// The part of a GPU's time that somebody has, how long he has waited for it, and how often he has launched.
pub(crate) fn compute(compute: &Compute) -> [String; 3] {
    if compute.launches == 0 {
        return std::array::from_fn(|_| "-".to_owned());
    }
    [shared(compute), lasted(compute.waited), compute.launches.to_string()]
}

/// What was refused last, and when. A class that is none is a lie of the process's.
fn last_refusal(last: LastRefusal, now: Clock) -> String {
    let class = last.class.map_or("?", MemoryClass::name);
    format!("{} {class}, {}", last.bytes.human(), ago(last.at, now))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::show::rows;
    use crate::show::samples::slices;

    #[test]
    fn one_line_for_each_process_and_gpu() {
        let lines = lines(&rows(&slices()), Clock(5_000_000_000), usize::MAX);
        assert_eq!(lines.join("\n") + "\n", include_str!("golden/table.txt"));
    }
}
