//! One frame.

use super::frame::{Line, Look};
use super::gpus::GpuSum;
use super::model::Model;
use crate::ps;
use crate::show::{Row, State, escaped, percent, short};

/// Cells of a bar.
const BAR: usize = 30;
/// A bar of which so much is full, in percent, is a warning.
const NEARLY_FULL: usize = 90;

/// The lines that show `model` in `rows` rows of `columns`. Its scrolling is kept within what there is.
pub(super) fn frame(model: &mut Model, columns: usize, rows: usize) -> Vec<Line> {
    let mut lines = above(model);
    let room = rows.saturating_sub(lines.len() + 2);
    model.page = room.max(1);
    model.skipped = model.skipped.min(model.rows.len().saturating_sub(room));
    let mut table = ps::lines(&model.rows, model.now, columns).into_iter();
    lines.extend(table.next().map(|headings| Line::new(Look::Reversed, headings)));
    let shown = table.zip(&model.rows).skip(model.skipped).take(room);
    lines.extend(shown.map(|(text, row)| Line::new(look(row), text)));
    lines.push(Line::new(Look::Dim, footer(model)));
    lines.resize(rows, Line::new(Look::Plain, ""));
    lines.into_iter().map(|line| line.fitted(columns)).collect()
}

/// Rows of a frame that shows all of `model`.
pub(super) fn height(model: &Model) -> usize {
    above(model).len() + 1 + model.rows.len() + 1
}

/// Everything above the table.
fn above(model: &Model) -> Vec<Line> {
    let processes = model.rows.iter().filter(|row| row.state == State::Alive).map(|row| row.pid);
    let processes = processes.collect::<std::collections::HashSet<_>>().len();
    let summary = format!("vgpu top: {}, {}", count(model.slices, "slice"), count(processes, "process"));
    let mut lines = vec![Line::new(Look::Bold, summary)];
    lines.extend(model.gpus.iter().flat_map(|sum| [Some(gpu(sum)), refusals(sum), untrimmed(sum)]).flatten());
    lines.extend(model.faults.iter().map(|fault| Line::new(Look::Bad, escaped(fault))));
    if model.slices == 0 {
        lines.push(Line::new(Look::Plain, "no slice of this user is running; start one with vgpu run"));
    }
    lines.push(Line::new(Look::Plain, ""));
    lines
}

fn gpu(gpu: &GpuSum) -> Line {
    let filled = gpu.filled(BAR);
    let look = if filled * 100 >= BAR * NEARLY_FULL { Look::Bad } else { Look::Good };
    let index = gpu.index.map_or_else(|| "?".to_owned(), |index| index.to_string());
    let name = gpu.name.as_deref().map_or_else(|| short(gpu.uuid), escaped);
    let memory = gpu.memory.map_or_else(|| "?".to_owned(), |memory| memory.human().to_string());
    let time = gpu.achieved.map_or_else(String::new, |time| format!(", {} of its time", percent(time)));
    let rest = format!(
        "{}] {} / {memory} in {}{}{time}",
        " ".repeat(BAR - filled),
        gpu.used.human(),
        count(gpu.slices, "slice"),
        limits(gpu)
    );
    let line = Line::new(Look::Plain, format!("GPU {index} {name} ["));
    line.and(look, "|".repeat(filled)).and(Look::Plain, rest)
}

/// What was refused on the GPU; `None` if nothing was.
fn refusals(gpu: &GpuSum) -> Option<Line> {
    if gpu.refused.is_empty() {
        return None;
    }
    let classes: Vec<String> =
        gpu.refused.iter().map(|(class, count)| format!("{count} {}", class.name())).collect();
    Some(Line::new(Look::Warning, format!("      refused: {}", classes.join(", "))))
}

/// What there is to know of shares of the GPU's time; `None` if they are what they seem.
fn untrimmed(gpu: &GpuSum) -> Option<Line> {
    let text = "      the driver does not tell how much of its time slices use: while several do, they get less than their shares";
    gpu.is_untrimmed.then(|| Line::new(Look::Dim, text))
}

fn limits(gpu: &GpuSum) -> String {
    let mut text = String::new();
    if gpu.slices > gpu.unlimited + gpu.unknown {
        text += &format!(", limits {}", gpu.promised.human());
    }
    if gpu.unlimited > 0 {
        text += &format!(", {} without a limit", gpu.unlimited);
    }
    if gpu.unknown > 0 {
        text += &format!(", {} with a limit that is not known", gpu.unknown);
    }
    text
}

fn footer(model: &Model) -> String {
    format!("q quit  up/down scroll  s sort (by {})", model.sort.name())
}

fn look(row: &Row) -> Look {
    match row.state {
        State::Dead | State::Idle => Look::Dim,
        State::Broken => Look::Bad,
        State::Alive if row.refused() > 0 => Look::Warning,
        State::Alive => Look::Plain,
    }
}

fn count(number: usize, what: &str) -> String {
    match (number, what.ends_with('s')) {
        (1, _) => format!("1 {what}"),
        (_, true) => format!("{number} {what}es"),
        (_, false) => format!("{number} {what}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::show::{Clock, Seen, samples};

    fn model() -> Model {
        Model::new(Seen { slices: samples::slices(), faults: Vec::new() }, Clock(5_000_000_000))
    }

    fn text(model: &mut Model, columns: usize, rows: usize) -> Vec<String> {
        frame(model, columns, rows).iter().map(Line::text).collect()
    }

    #[test]
    fn a_whole_frame() {
        let mut model = model();
        let height = height(&model);
        assert_eq!(text(&mut model, 150, height).join("\n") + "\n", include_str!("golden/frame.txt"));
    }

    #[test]
    fn no_size_of_the_terminal_is_too_small() {
        for (width, height) in [(1, 1), (3, 2), (20, 5), (200, 3), (1, 40), (0, 0)] {
            let lines = frame(&mut model(), width, height);
            assert_eq!(lines.len(), height);
            assert!(lines.iter().all(|line| line.width() <= width), "{lines:?}");
        }
    }

    #[test]
    fn scrolling_stops_at_the_last_row() {
        let mut model = model();
        model.skipped = 1000;
        let lines = text(&mut model, 150, 10);
        assert_eq!(model.skipped, 4);
        assert!(lines[7].starts_with("run-4720") && lines[8].starts_with("run-4730"), "{lines:#?}");
    }

    #[test]
    fn shares_that_nothing_corrects_are_said() {
        let mut slices = samples::slices();
        slices[0].gpus[0].correction.has_source = Some(false);
        let mut model = Model::new(Seen { slices, faults: Vec::new() }, Clock(0));
        let lines = text(&mut model, 150, 12);
        assert!(lines[3].contains("they get less than their shares"), "{lines:#?}");
        assert_eq!(lines.iter().filter(|line| line.contains("does not tell")).count(), 1);
    }

    #[test]
    fn nothing_to_show_is_said() {
        let mut model = Model::new(Seen::default(), Clock(0));
        let text = text(&mut model, 100, 6).join("\n");
        assert!(text.contains("0 slices, 0 processes"), "{text}");
        assert!(text.contains("no slice of this user is running; start one with vgpu run"), "{text}");
    }

    #[test]
    fn what_slices_write_cannot_move_the_cursor() {
        let mut model = model();
        model.faults = vec!["a\u{1b}[2Jfault".to_owned()];
        let text = text(&mut model, 150, 20).join("");
        assert!(!text.chars().any(char::is_control), "{text}");
    }
}
