//! `vgpu ps`: the processes of this user's slices.

pub(crate) mod json;

use crate::args::PsArgs;
use crate::failure::Failure;
use crate::say::{print, print_json, say, warn};
use crate::show::{self, Align, Clock, Row, Seen, Table, Watch, ago, columns, limited};
use monitor::slices::{LastRefusal, MemoryClass};

/// Prints them.
pub(crate) fn ps(args: &PsArgs) -> Result<(), Failure> {
    let Seen { slices, faults } = Watch::default().look();
    faults.iter().for_each(warn);
    if args.json {
        return print_json(&json::document(&slices));
    }
    if slices.is_empty() {
        say("no slice of this user is running; start one with vgpu run --memory SIZE -- COMMAND");
        return Ok(());
    }
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
        ("REFUSED", Align::Right),
        ("LAST REFUSED", Align::Right),
        ("COMMAND", Align::Left),
    ]);
    rows.iter().for_each(|row| table.row(cells(row, now)));
    table.lines(columns)
}

/// The cells of one row, in the order of the columns.
fn cells(row: &Row, now: Clock) -> [String; 9] {
    let none = || "-".to_owned();
    let pid = row.pid.map_or_else(none, |pid| pid.to_string());
    let last = row.last_refusal.map_or_else(none, |last| last_refusal(last, now));
    let slice = row.slice.clone();
    let Some(share) = &row.share else {
        return [slice, pid, none(), none(), none(), none(), none(), last, row.command.clone()];
    };
    let usage = &share.usage;
    [
        slice,
        pid,
        share.gpu.clone(),
        limited(usage.used, share.limit),
        usage.peak.human().to_string(),
        usage.overhead.human().to_string(),
        usage.refused.to_string(),
        last,
        row.command.clone(),
    ]
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
