//! Who holds how much of one device: a total that is never wrong, by processes that may be killed at any instruction.
//!
//! # The protocol
//!
//! Each device has one word, the **head**: the number of the latest change, its writer's slot, and which of the two **records** in
//! the writer's cell says what that change made of the writer's usage and of the total. A change is
//!
//! 1. load the head and *settle* it: if it names another slot, note in that slot's cell that its change has happened; if it writes
//!    off a dead slot's usage, note in the dead slot's cell that nothing is held there any more;
//! 2. take the total from the record that the head names; give up if the limit is passed;
//! 3. write usage and total as they will be into that one of one's own records which is not one's latest change;
//! 4. exchange the head for one that names this record, numbered one higher; if it has moved, start over.
//!
//! # The invariant
//!
//! *The latest change of a slot is the one in the head if the head names the slot or writes it off, else the one that its cell has
//! settled; the total is the sum over all slots of the usage in their latest changes.* So a killed process leaves exactly its
//! latest change.
//!
//! Why it holds:
//!
//! * Only step 4 changes anything that counts, in one instant, from a state in which the record that the head names holds the
//!   total. The new total differs from it by exactly what the writer's usage differs, and he alone changes his usage. Step 3
//!   writes only into the record that is not his latest change, so dying before 4 leaves all as it was.
//! * Nobody replaces a head before it is settled (1 before 4), but for the writer's own note. Numbers are never used twice, so
//!   an exchange of the head that succeeds cannot have slept through anything; and a late settler cannot move a note back,
//!   because his exchange expects an older note than his own, and notes only move to changes that have happened.
//! * A record is stable while the head names it, because its owner's next change goes to the other one, and by the time
//!   he comes back to it the head has moved. A slow reader therefore either finds the head moved, or has read what it named.
//!
//! # After a death
//!
//! A living process takes back what a dead one held **in its own name**: it names the dead slot in its own [`WriteOff`] word and makes
//! a change, marked as one that writes off, whose total is less by that usage. It writes nothing that belongs to the dead slot, and
//! the change expects a certain latest change there, which no later owner can have. So any number of processes may do this at
//! once, may be stopped or killed anywhere in it, and keep nobody waiting. The word, like a record, is stable while it
//! counts: its owner writes it only while the head does not name him with a change that writes off.
//!
//! Who takes over a dead process's slot may also make the ordinary change to zero in the slot's name; of those there is one
//! at a time.
//!
//! The cell keeps its note and records when the slot changes hands, so a slot's next owner just goes on from zero.
//!
//! Locks play no part, no step waits for another process, and a step fails only because another process has succeeded.
//! `tests/loom_ledger.rs` explores the interleavings, deaths included.

mod cell;
#[cfg(not(loom))]
pub(crate) mod copy;
mod head;
mod note;
#[cfg(test)]
mod tests;
mod write_off;

use core::convert::Infallible;

use policy::quota;

use crate::sync::{AtomicU64, Ordering};
pub use cell::Cell;
use head::Head;
pub use head::SlotId;
use note::Note;
pub use write_off::WriteOff;

/// The word that decides. All zero = no change yet.
#[derive(Debug, Default)]
#[repr(transparent)]
pub struct HeadWord(AtomicU64);

/// Where the cells of one device are.
pub trait Cells {
    /// The cell of `slot`.
    fn cell(&self, slot: SlotId) -> &Cell;

    /// The word in which `slot` names whom it writes off.
    fn write_off(&self, slot: SlotId) -> &WriteOff;
}

/// What a slot holds, and since which change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Holding {
    /// Usage in bytes.
    pub bytes: u64,
    latest: Note,
}

/// What a change has made of its writer's usage and of the total, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Balance {
    /// Usage of the writer's slot.
    pub used: u64,
    /// The sum of everyone's usage.
    pub total: u64,
}

/// The request would have put the total over the limit at some instant during the call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OverLimit;

/// The ledger of one device. See the module's description.
#[derive(Debug)]
pub struct Ledger<'a, C> {
    head: &'a HeadWord,
    cells: C,
}

impl<'a, C: Cells> Ledger<'a, C> {
    /// The ledger of the device with this head and these cells.
    pub const fn new(head: &'a HeadWord, cells: C) -> Self {
        Self { head, cells }
    }

    /// The sum of everyone's usage in bytes, as it was at one instant during the call.
    pub fn total(&self) -> u64 {
        loop {
            let head = self.head();
            let total = self.cells.cell(head.slot).record(head.stamp).total();
            if self.head() == head {
                return total;
            }
        }
    }

    /// The usage of `slot` in bytes. Exact for its owner while he makes no change; for others, as it was during the call.
    pub fn used(&self, slot: SlotId) -> u64 {
        self.holding(slot).bytes
    }

    /// What `slot` holds, as it was at one instant during the call.
    pub fn holding(&self, slot: SlotId) -> Holding {
        let cell = self.cells.cell(slot);
        loop {
            let head = self.head();
            self.settle_write_off(head);
            let latest = cell.latest(slot, head);
            let bytes = cell.used(latest);
            if cell.latest(slot, self.head()) == latest {
                return Holding { bytes, latest };
            }
        }
    }

    /// Adds `bytes` to the usage of `slot` if the total then is within `limit`.
    ///
    /// Only the owner of the slot may call this, one change at a time.
    ///
    /// # Errors
    /// [`OverLimit`]: nothing has changed.
    pub fn reserve(&self, slot: SlotId, bytes: u64, limit: u64) -> Result<Balance, OverLimit> {
        self.change(slot, |used, total| {
            if quota::fits(total, bytes, limit) { Ok(used.wrapping_add(bytes)) } else { Err(OverLimit) }
        })
    }

    /// Makes `used` bytes the usage of `slot`, whatever the limit.
    ///
    /// Only the owner of the slot may call this, one change at a time.
    pub fn set(&self, slot: SlotId, used: u64) -> Balance {
        let Ok(balance) = self.change(slot, |_, _| Ok::<_, Infallible>(used));
        balance
    }

    /// Takes back the usage that the dead owner of `slot` has left, in the slot's own name; the bytes freed.
    ///
    /// Only one process at a time may do this for a slot, and only after the owner's death; it may itself die at any point. Others
    /// may [write off](Self::write_off) the slot meanwhile.
    pub fn recover(&self, slot: SlotId) -> u64 {
        let held = self.used(slot);
        if held != 0 {
            self.set(slot, 0);
        }
        held
    }

    /// Steps 1 to 4 of the protocol. `decide` is given the usage of `slot` and the total, and says what the usage shall be, or
    /// why there is to be no change.
    fn change<E>(&self, slot: SlotId, decide: impl Fn(u64, u64) -> Result<u64, E>) -> Result<Balance, E> {
        let cell = self.cells.cell(slot);
        loop {
            let head = self.head();
            let total = self.settle(head, slot);
            let latest = cell.latest(slot, head);
            let before = cell.used(latest);
            let used = match decide(before, total) {
                Ok(used) => used,
                Err(refusal) if self.head() == head => return Err(refusal),
                Err(_) => continue,
            };
            let next = head.next(slot, latest.stamp());
            let balance = Balance { used, total: total.wrapping_sub(before).wrapping_add(used) };
            cell.record(next.stamp).write(balance.used, balance.total);
            if self.replace_head(head, next) {
                return Ok(balance);
            }
        }
    }

    /// Notes that what `head` says has happened, for a change by `writer`; the total.
    fn settle(&self, head: Head, writer: SlotId) -> u64 {
        self.settle_write_off(head);
        let named = self.cells.cell(head.slot);
        if head.slot != writer {
            named.settle(head.stamp);
        }
        named.record(head.stamp).total()
    }

    fn head(&self) -> Head {
        Head::unpack(self.head.0.load(Ordering::Acquire))
    }

    fn replace_head(&self, old: Head, new: Head) -> bool {
        let exchanged =
            self.head.0.compare_exchange(old.pack(), new.pack(), Ordering::AcqRel, Ordering::Relaxed);
        exchanged.is_ok()
    }
}
