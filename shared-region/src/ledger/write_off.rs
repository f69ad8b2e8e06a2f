//! Taking back what a dead process held, in the name of a living one.

use core::convert::Infallible;

use super::head::{Head, SlotId};
use super::{Cells, Holding, Ledger};
use crate::sync::{AtomicU64, Ordering};

/// Names the slot that a change of this word's owner writes off. It counts while the head names the owner with such a change.
#[derive(Debug, Default)]
#[repr(transparent)]
pub struct WriteOff(AtomicU64);

impl WriteOff {
    fn slot(&self) -> SlotId {
        SlotId::wrapping(self.0.load(Ordering::Acquire))
    }

    /// Release, so that a settler who was too slow and meets this name also sees that the head has moved on.
    fn name(&self, slot: SlotId) {
        self.0.store(slot.index() as u64, Ordering::Release);
    }
}

impl<C: Cells> Ledger<'_, C> {
    /// Takes back, in the name of `slot`, what `dead` holds if that is still `holding`; the bytes freed.
    ///
    /// Only the owner of `slot`, one change at a time, and only if the owner of `dead` who made `holding` will make no more changes.
    /// Any number of processes may do so at once.
    pub fn write_off(&self, slot: SlotId, dead: SlotId, holding: Holding) -> u64 {
        if holding.bytes == 0 {
            return 0;
        }
        let cell = self.cells.cell(slot);
        loop {
            let head = self.head();
            if head.slot == slot && head.stamp.writes_off() {
                // The word still belongs to the change before. One that changes nothing sets it free.
                let Ok(_) = self.change(slot, |used, _| Ok::<_, Infallible>(used));
                continue;
            }
            let total = self.settle(head, slot);
            if self.cells.cell(dead).latest(dead, head) != holding.latest {
                return 0;
            }
            self.cells.write_off(slot).name(dead);
            let latest = cell.latest(slot, head);
            let used = cell.used(latest);
            let next = head.next(slot, latest.stamp());
            let next = Head { stamp: next.stamp.writing_off(), ..next };
            cell.record(next.stamp).write(used, total.wrapping_sub(holding.bytes));
            if self.replace_head(head, next) {
                self.settle_write_off(next);
                return holding.bytes;
            }
        }
    }

    /// If `head` writes off a slot, notes in that slot's cell that it has happened.
    pub(super) fn settle_write_off(&self, head: Head) {
        if !head.stamp.writes_off() {
            return;
        }
        let dead = self.cells.write_off(head.slot).slot();
        // Who has replaced the head has done this before, and the word may name another slot by now.
        if self.head() == head {
            self.cells.cell(dead).void(head.stamp);
        }
    }
}
