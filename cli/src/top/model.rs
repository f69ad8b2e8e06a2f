//! What the view shows, and what keys do to it.

use super::gpus::{GpuSum, sum};
use super::keys::Key;
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
    Time,
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

    /// Does what a key says.
    pub(super) fn press(&mut self, key: Key) -> Wish {
        match key {
            Key::Interrupt | Key::Escape | Key::Character('q') => return Wish::Quit,
            Key::Stop => return Wish::Suspend,
            Key::Up => self.skipped = self.skipped.saturating_sub(1),
            Key::Down => self.skipped += 1,
            Key::PageUp => self.skipped = self.skipped.saturating_sub(self.page),
            Key::PageDown => self.skipped += self.page,
            Key::Home => self.skipped = 0,
            Key::End => self.skipped = self.rows.len(),
            Key::Character('s') | Key::Right => self.sort_by(self.sort.after(1)),
            Key::Left => self.sort_by(self.sort.after(Sort::ALL.len() - 1)),
            Key::Character(_) => {}
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
        let time = |row: &Row| row.share.as_ref().and_then(|share| share.usage.compute.achieved);
        match self.sort {
            Sort::Memory => self.rows.sort_by_key(|row| std::cmp::Reverse(row.used())),
            Sort::Peak => self.rows.sort_by_key(|row| std::cmp::Reverse(peak(row))),
            Sort::Time => self.rows.sort_by_key(|row| std::cmp::Reverse(time(row))),
            Sort::Refusals => self.rows.sort_by_key(|row| std::cmp::Reverse(row.refused())),
            Sort::Pid => self.rows.sort_by_key(|row| row.pid),
            Sort::Slice => self.rows.sort_by(|one, other| one.slice.cmp(&other.slice)),
        }
    }
}

impl Sort {
    const ALL: [Self; 6] = [Self::Memory, Self::Peak, Self::Time, Self::Refusals, Self::Pid, Self::Slice];

    fn after(self, steps: usize) -> Self {
        let place = Self::ALL.iter().position(|sort| *sort == self).unwrap_or(0);
        Self::ALL[(place + steps) % Self::ALL.len()]
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::Peak => "peak",
            Self::Time => "time",
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

    fn pids(model: &Model) -> Vec<Option<u32>> {
        model.rows.iter().map(|row| row.pid).collect()
    }

    #[test]
    fn keys_that_end_or_stop() {
        let mut model = model();
        for key in [Key::Character('q'), Key::Escape, Key::Interrupt] {
            assert_eq!(model.press(key), Wish::Quit);
        }
        assert_eq!(model.press(Key::Stop), Wish::Suspend);
        assert_eq!(model.press(Key::Character('x')), Wish::Nothing);
    }

    #[test]
    fn sorting_goes_round_both_ways() {
        let mut model = model();
        assert_eq!(pids(&model), [Some(4712), Some(4712), Some(4713), Some(99), None, None]);
        model.press(Key::Left);
        assert_eq!(model.sort, Sort::Slice);
        model.press(Key::Left);
        assert_eq!((model.sort, pids(&model)[2]), (Sort::Pid, Some(99)));
        for _ in 0..3 {
            model.press(Key::Character('s'));
        }
        assert_eq!(model.sort, Sort::Peak);
        model.press(Key::Right);
        assert_eq!((model.sort, pids(&model)[0]), (Sort::Time, Some(4712)));
        model.press(Key::Right);
        assert_eq!((model.sort, model.rows[0].refused()), (Sort::Refusals, 12));
    }

    #[test]
    fn scrolling_never_leaves_the_list_at_the_top() {
        let mut model = model();
        model.press(Key::Up);
        assert_eq!(model.skipped, 0);
        model.press(Key::Down);
        model.press(Key::PageDown);
        assert_eq!(model.skipped, 2);
        model.press(Key::Home);
        assert_eq!(model.skipped, 0);
    }
}
