//! One part of the map: the newest entry, a small index of places, and the other entries themselves.

use crate::spread::spread;
use crate::{Allocation, ContextId};
use hashbrown::HashTable;

/// The allocations whose addresses fall to this part.
///
/// Much is freed soon after it was allocated. So the newest entry lies here, and is put among the others when the next one
/// comes: with a hundred thousand allocations, to write there and to take it out again would wait for memory twice.
#[derive(Default)]
pub(crate) struct Shard {
    /// What was recorded last, unless it was taken.
    newest: Option<Live>,
    others: Others,
}

/// The index is kept apart from the entries, because a new address may hit it anywhere: at four bytes and a tag an
/// allocation, that of a hundred thousand fits into a processor core's own cache. The entries do not, so one is only looked
/// at when it almost certainly is the right one. Of the entries, the one given up last is the first to be used again.
#[derive(Default)]
struct Others {
    /// Where the live entries lie, by address.
    index: HashTable<Spot>,
    /// `None` where there is no live one.
    entries: Vec<Option<Live>>,
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
        let known = match &mut self.newest {
            Some(newest) if newest.address == address => Some(newest),
            _ => self.others.find(address),
        };
        if let Some(known) = known {
            return Some(core::mem::replace(&mut known.allocation, allocation));
        }
        if let Some(older) = &self.newest {
            self.others.add(older);
        }
        self.newest = Some(Live { address, allocation });
        None
    }

    /// Forgets `address` if what is recorded there `matches`, and returns that.
    pub(crate) fn take(&mut self, address: u64, matches: impl Fn(&Allocation) -> bool) -> Option<Allocation> {
        let is_it = |live: &&Live| live.address == address && matches(&live.allocation);
        let Some(newest) = self.newest.as_ref().filter(is_it) else {
            return self.others.take(address, is_it);
        };
        let allocation = newest.allocation;
        self.newest = None;
        Some(allocation)
    }

    /// Forgets every allocation of `context` and passes each to `refund`.
    pub(crate) fn take_context(&mut self, context: ContextId, mut refund: impl FnMut(Allocation)) {
        let addresses: Vec<u64> =
            self.live().filter(|live| live.allocation.context == context).map(|live| live.address).collect();
        addresses.into_iter().filter_map(|address| self.take(address, |_| true)).for_each(&mut refund);
    }

    /// The live allocations, in no order.
    pub(crate) fn allocations(&self) -> impl Iterator<Item = &Allocation> {
        self.live().map(|live| &live.allocation)
    }

    fn live(&self) -> impl Iterator<Item = &Live> {
        self.newest.iter().chain(self.others.entries.iter().flatten())
    }

    /// The number of live allocations.
    pub(crate) fn len(&self) -> usize {
        usize::from(self.newest.is_some()) + self.others.index.len()
    }

    /// The number of entries beside the newest, live or not.
    #[cfg(test)]
    pub(crate) fn places(&self) -> usize {
        self.others.entries.len()
    }
}

/// The place of an entry, and a part of its address's hash that the index does not look at.
#[derive(Clone, Copy)]
struct Spot(u32);

impl Spot {
    const PLACE: u32 = (1 << 24) - 1;

    fn new(place: u32, hash: u64) -> Self {
        let [_, _, clue, ..] = hash.to_be_bytes();
        Self(u32::from(clue) << 24 | place)
    }

    const fn place(self) -> usize {
        (self.0 & Self::PLACE) as usize
    }

    /// Whether the entry is that of `address`.
    fn is_of(self, address: u64, hash: u64, entries: &[Option<Live>]) -> bool {
        let is_likely = Self::new(self.0 & Self::PLACE, hash).0 == self.0;
        is_likely && self.entry(entries).is_some_and(|live| live.address == address)
    }

    fn entry(self, entries: &[Option<Live>]) -> Option<&Live> {
        entries.get(self.place())?.as_ref()
    }
}

impl Others {
    fn find(&mut self, address: u64) -> Option<&mut Live> {
        let Self { index, entries, .. } = self;
        let hash = spread(address);
        let spot = index.find(hash, |spot| spot.is_of(address, hash, entries))?;
        entries.get_mut(spot.place())?.as_mut()
    }

    /// Adds what is not among them.
    fn add(&mut self, live: &Live) {
        let Self { index, entries, unused } = self;
        let place = unused.pop().unwrap_or_else(|| next_place(entries));
        match entries.get_mut(place as usize) {
            Some(entry) => *entry = Some(*live),
            None => entries.push(Some(*live)),
        }
        let hash = spread(live.address);
        let hash_of = |spot: &Spot| spot.entry(entries).map_or(0, |live| spread(live.address));
        index.insert_unique(hash, Spot::new(place, hash), hash_of);
    }

    /// Forgets the entry of `address` if that is `it`, and returns what was recorded there.
    fn take(&mut self, address: u64, is_it: impl FnOnce(&&Live) -> bool) -> Option<Allocation> {
        let Self { index, entries, unused } = self;
        let hash = spread(address);
        let found = index.find_entry(hash, |spot| spot.is_of(address, hash, entries)).ok()?;
        let entry = entries.get_mut(found.get().place())?;
        let allocation = entry.as_ref().filter(is_it)?.allocation;
        *entry = None;
        let (spot, _) = found.remove();
        unused.push(spot.0 & Spot::PLACE);
        Some(allocation)
    }
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "2^24 entries in each part would take 32 GiB of this process's memory"
)]
fn next_place(entries: &[Option<Live>]) -> u32 {
    entries.len() as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use contract::Bytes;
    use proptest::prelude::*;
    use shared_region::DeviceIndex;
    use std::collections::BTreeMap;

    /// What is done to a part and to a plain map of allocations by addresses.
    #[derive(Clone, Copy, Debug)]
    enum Step {
        Insert(u64, Allocation),
        Take(u64),
        TakeOf(u64, ContextId),
        TakeContext(ContextId),
    }

    fn contexts() -> impl Strategy<Value = ContextId> {
        (1_u64..3).prop_map(ContextId)
    }

    fn steps() -> impl Strategy<Value = Step> {
        let device = DeviceIndex::new(0).expect("a region has a first device");
        let address = || 0_u64..12;
        let allocations =
            (contexts(), any::<u32>(), any::<bool>()).prop_map(move |(context, bytes, is_paged)| {
                Allocation { device, context, bytes: Bytes(u64::from(bytes)), is_paged }
            });
        prop_oneof![
            8 => (address(), allocations).prop_map(|(address, allocation)| Step::Insert(address, allocation)),
            6 => address().prop_map(Step::Take),
            2 => (address(), contexts()).prop_map(|(address, context)| Step::TakeOf(address, context)),
            1 => contexts().prop_map(Step::TakeContext),
        ]
    }

    /// Does `step` to both.
    fn step(shard: &mut Shard, model: &mut BTreeMap<u64, Allocation>, step: Step) -> [Vec<Allocation>; 2] {
        match step {
            Step::Insert(address, allocation) => [
                shard.insert(address, allocation).into_iter().collect(),
                model.insert(address, allocation).into_iter().collect(),
            ],
            Step::Take(address) => [
                shard.take(address, |_| true).into_iter().collect(),
                model.remove(&address).into_iter().collect(),
            ],
            Step::TakeOf(address, context) => {
                let is_it = model.get(&address).is_some_and(|known| known.context == context);
                let known = if is_it { model.remove(&address) } else { None };
                let taken = shard.take(address, |known| known.context == context);
                [taken.into_iter().collect(), known.into_iter().collect()]
            }
            Step::TakeContext(context) => {
                let mut taken = Vec::new();
                shard.take_context(context, |allocation| taken.push(allocation));
                let ended = model.extract_if(.., |_, known| known.context == context);
                [sorted(taken), sorted(ended.map(|(_, known)| known).collect())]
            }
        }
    }

    fn sorted(mut allocations: Vec<Allocation>) -> Vec<Allocation> {
        allocations.sort_unstable_by_key(|one| (one.context.0, one.bytes, one.is_paged));
        allocations
    }

    proptest! {
        #[test]
        fn a_part_is_a_map_whatever_is_its_newest(all in prop::collection::vec(steps(), 1..200)) {
            let (mut shard, mut model) = (Shard::default(), BTreeMap::new());
            for one in all {
                let [done, expected] = step(&mut shard, &mut model, one);
                prop_assert_eq!(done, expected);
                prop_assert_eq!(shard.len(), model.len());
                let live = sorted(shard.allocations().copied().collect());
                prop_assert_eq!(live, sorted(model.values().copied().collect()));
            }
        }
    }
}
