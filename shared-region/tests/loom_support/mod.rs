//! A device under loom.

use shared_region::SlotId;
use shared_region::ledger::{Cell, Cells, HeadWord, Ledger, WriteOff};

/// Writes of one uncontended change or recovery; dying before a later one is living on.
pub(crate) const WRITES: usize = 4;

/// A device that three processes use.
#[derive(Default)]
pub(crate) struct Device {
    head: HeadWord,
    cells: [Cell; 3],
    write_offs: [WriteOff; 3],
}

impl Cells for &Device {
    fn cell(&self, slot: SlotId) -> &Cell {
        &self.cells[slot.index()]
    }

    fn write_off(&self, slot: SlotId) -> &WriteOff {
        &self.write_offs[slot.index()]
    }
}

impl Device {
    /// Its ledger.
    pub(crate) fn ledger(&self) -> Ledger<'_, &Self> {
        Ledger::new(&self.head, self)
    }

    /// What all hold, by what each holds.
    pub(crate) fn sum(&self) -> u64 {
        (0..3).map(|index| self.ledger().used(slot(index))).sum()
    }
}

/// Slot number `index`.
pub(crate) fn slot(index: usize) -> SlotId {
    SlotId::new(index).unwrap()
}

/// Explores `scenario` with at most `preemptions` involuntary switches between threads; all of them if `None`.
pub(crate) fn explore(preemptions: Option<usize>, scenario: impl Fn() + Sync + Send + 'static) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = preemptions;
    model.check(scenario);
}
