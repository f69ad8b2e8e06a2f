//! One part of the map: a small index of places, and the entries themselves.

use crate::{Allocation, ContextId};
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;

/// The allocations whose addresses fall to this part.
///
/// The index is kept apart from the entries, because a new address may hit it anywhere: at four bytes and a tag an
/// allocation, that of a hundred thousand fits into a processor core's own cache. Of the entries, the one given up last is
/// the first to be used again.
#[derive(Default)]
pub(crate) struct Shard {
    /// The places of the live entries, by address.
    index: HashTable<u32>,
    entries: Vec<Live>,
    /// The places of the entries that are not live.
    unused: Vec<u32>,
}

#[derive(Clone, Copy)]
struct Live {
    address: u64,
    allocation: Allocation,
}

impl Shard {
    /// Records `allocation` at `address`, and returns what was recorded there before.
    pub(crate) fn insert(&mut self, address: u64, allocation: Allocation) -> Option<Allocation> {
        let Self { index, entries, unused } = self;
        let is_it = |place: &u32| entry(entries, *place).is_some_and(|live| live.address == address);
        let hash = |place: &u32| entry(entries, *place).map_or(0, |live| spread(live.address));
        match index.entry(spread(address), is_it, hash) {
            Entry::Occupied(known) => {
                let known = entries.get_mut(*known.get() as usize)?;
                Some(core::mem::replace(&mut known.allocation, allocation))
            }
            Entry::Vacant(vacant) => {
                let place = unused.pop().unwrap_or_else(|| next_place(entries));
                vacant.insert(place);
                let live = Live { address, allocation };
                match entries.get_mut(place as usize) {
                    Some(entry) => *entry = live,
                    None => entries.push(live),
                }
                None
            }
        }
    }

    /// Forgets `address` if what is recorded there `matches`, and returns that.
    pub(crate) fn take(&mut self, address: u64, matches: impl Fn(&Allocation) -> bool) -> Option<Allocation> {
        let Self { index, entries, unused } = self;
        let is_it = |place: &u32| {
            entry(entries, *place).is_some_and(|live| live.address == address && matches(&live.allocation))
        };
        let (place, _) = index.find_entry(spread(address), is_it).ok()?.remove();
        unused.push(place);
        entry(entries, place).map(|live| live.allocation)
    }

    /// Forgets every allocation of `context` and passes each to `refund`.
    pub(crate) fn take_context(&mut self, context: ContextId, mut refund: impl FnMut(Allocation)) {
        let Self { index, entries, unused } = self;
        index.retain(|place| {
            let ended = entry(entries, *place).filter(|live| live.allocation.context == context);
            if let Some(live) = ended {
                unused.push(*place);
                refund(live.allocation);
            }
            ended.is_none()
        });
    }

    /// The live allocations, in no order.
    pub(crate) fn live(&self) -> impl Iterator<Item = &Allocation> {
        self.index.iter().filter_map(|place| entry(&self.entries, *place)).map(|live| &live.allocation)
    }

    /// The number of live allocations.
    pub(crate) fn len(&self) -> usize {
        self.index.len()
    }

    /// The number of entries, live or not.
    #[cfg(test)]
    pub(crate) fn places(&self) -> usize {
        self.entries.len()
    }
}

fn entry(entries: &[Live], place: u32) -> Option<&Live> {
    entries.get(place as usize)
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "2^32 entries would take 128 GiB of this process's memory"
)]
fn next_place(entries: &[Live]) -> u32 {
    entries.len() as u32
}

/// Spreads the entropy of `address` over all bits: the product has it in the upper half, the table also looks at the
/// lower one. Addresses are chosen by the driver, not by an adversary, so there is nothing to defend against.
pub(crate) const fn spread(address: u64) -> u64 {
    const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;
    let product = address.wrapping_mul(GOLDEN);
    product ^ (product >> 32)
}
