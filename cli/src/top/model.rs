//! What the view shows, and what keys do to it.

use crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

use super::gpus::{GpuSum, sum};
use crate::show::{Clock, Row, Seen, rows};

/// The view's state.
#[derive(Clone, Debug)]
pub(super) struct Model {
    pub(super) gpus: Vec<GpuSum>,
    pub(super) rows: Vec<Row>,
    pub(super) faults: Vec<String>,
    pub(super) slices: usize,
    pub(super) now: Clock,
    pub(super) sort: Sort,
    /// Rows that are scrolled away; drawing keeps the last row in sight.
    pub(super) skipped: usize,
    /// Rows that the last frame had room for.
    pub(super) page: usize,
}

/// What rows are sorted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sort {
    Memory,
    Peak,
    Refusals,
    Pid,
    Slice,
}

/// What a key asks of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wish {
    Nothing,
    Quit,
    Suspend,
}

impl Model {
    pub(super) fn new(seen: Seen, now: Clock) -> Self {
        let mut model = Self {
            gpus: Vec::new(),
            rows: Vec::new(),
            faults: Vec::new(),
            slices: 0,
            now,
            sort: Sort::Memory,
            skipped: 0,
            page: 1,
        };
        model.update(seen, now);
        model
    }

    /// Shows what was seen at `now`.
    pub(super) fn update(&mut self, seen: Seen, now: Clock) {
        self.gpus = sum(&seen.slices);
        self.rows = rows(&seen.slices);
        self.slices = seen.slices.len();
        self.faults = seen.faults;
        self.now = now;
        self.arrange();
    }

    /// Does what a key says. A new size of the terminal needs no more than the next frame.
    pub(super) fn event(&mut self, event: &Event) -> Wish {
        match event {
            Event::Key(key) if key.kind != KeyEventKind::Release => self.key(*key),
            _ => Wish::Nothing,
        }
    }

    fn key(&mut self, key: KeyEvent) -> Wish {
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        match key.code {
            KeyCode::Char('c') if control => return Wish::Quit,
            KeyCode::Char('z') if control => return Wish::Suspend,
            KeyCode::Char('q') | KeyCode::Esc => return Wish::Quit,
            KeyCode::Up => self.skipped = self.skipped.saturating_sub(1),
            KeyCode::Down => self.skipped += 1,
            KeyCode::PageUp => self.skipped = self.skipped.saturating_sub(self.page),
            KeyCode::PageDown => self.skipped += self.page,
            KeyCode::Home => self.skipped = 0,
            KeyCode::End => self.skipped = self.rows.len(),
            KeyCode::Char('s') | KeyCode::Right => self.sort_by(self.sort.after(1)),
            KeyCode::Left => self.sort_by(self.sort.after(Sort::ALL.len() - 1)),
            _ => {}
        }
        Wish::Nothing
    }

    fn sort_by(&mut self, sort: Sort) {
        self.sort = sort;
        self.arrange();
    }

    /// Sorts the rows. Equal ones keep their slice's order, so that a quiet list stands still.
    fn arrange(&mut self) {
        let peak = |row: &Row| row.share.as_ref().map_or(0, |share| share.usage.peak.0);
        match self.sort {
            Sort::Memory => self.rows.sort_by_key(|row| std::cmp::Reverse(row.used())),
            Sort::Peak => self.rows.sort_by_key(|row| std::cmp::Reverse(peak(row))),
            Sort::Refusals => self.rows.sort_by_key(|row| std::cmp::Reverse(row.refused())),
            Sort::Pid => self.rows.sort_by_key(|row| row.pid),
            Sort::Slice => self.rows.sort_by(|one, other| one.slice.cmp(&other.slice)),
        }
    }
}

impl Sort {
    const ALL: [Self; 5] = [Self::Memory, Self::Peak, Self::Refusals, Self::Pid, Self::Slice];

    fn after(self, steps: usize) -> Self {
        let place = Self::ALL.iter().position(|sort| *sort == self).unwrap_or(0);
        Self::ALL[(place + steps) % Self::ALL.len()]
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::Peak => "peak",
            Self::Refusals => "refusals",
            Self::Pid => "pid",
            Self::Slice => "slice",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::show::samples;

    fn model() -> Model {
        Model::new(Seen { slices: samples::slices(), faults: Vec::new() }, Clock(5_000_000_000))
    }

    fn press(model: &mut Model, code: KeyCode) -> Wish {
        model.event(&Event::Key(KeyEvent::new(code, KeyModifiers::NONE)))
    }

    fn pids(model: &Model) -> Vec<Option<u32>> {
        model.rows.iter().map(|row| row.pid).collect()
    }

    #[test]
    fn keys_that_end_or_stop() {
        let mut model = model();
        assert_eq!(press(&mut model, KeyCode::Char('q')), Wish::Quit);
        assert_eq!(press(&mut model, KeyCode::Esc), Wish::Quit);
        let control = |letter| Event::Key(KeyEvent::new(KeyCode::Char(letter), KeyModifiers::CONTROL));
        assert_eq!(model.event(&control('c')), Wish::Quit);
        assert_eq!(model.event(&control('z')), Wish::Suspend);
        assert_eq!(press(&mut model, KeyCode::Char('x')), Wish::Nothing);
        assert_eq!(model.event(&Event::Resize(10, 10)), Wish::Nothing);
    }

    #[test]
    fn sorting_goes_round_both_ways() {
        let mut model = model();
        assert_eq!(pids(&model), [Some(4712), Some(4712), Some(4713), Some(99), None, None]);
        press(&mut model, KeyCode::Left);
        assert_eq!(model.sort, Sort::Slice);
        press(&mut model, KeyCode::Left);
        assert_eq!((model.sort, pids(&model)[2]), (Sort::Pid, Some(99)));
        for _ in 0..3 {
            press(&mut model, KeyCode::Char('s'));
        }
        assert_eq!(model.sort, Sort::Peak);
        press(&mut model, KeyCode::Right);
        assert_eq!((model.sort, model.rows[0].refused()), (Sort::Refusals, 12));
    }

    #[test]
    fn scrolling_never_leaves_the_list_at_the_top() {
        let mut model = model();
        press(&mut model, KeyCode::Up);
        assert_eq!(model.skipped, 0);
        press(&mut model, KeyCode::Down);
        press(&mut model, KeyCode::PageDown);
        assert_eq!(model.skipped, 2);
        press(&mut model, KeyCode::Home);
        assert_eq!(model.skipped, 0);
    }
}
