//! Which entry of the region is which GPU: a table keyed by UUID that grows without locks and survives any death.

use contract::{Bytes, Uuid};

use crate::ledger::HeadWord;
use crate::sync::{AtomicU64, Ordering};

/// A GPU's entry in the region, 0 to [`DeviceIndex::COUNT`] − 1. It says nothing about CUDA's or NVML's order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DeviceIndex(u8);

impl DeviceIndex {
    /// Entries of a region.
    pub const COUNT: usize = 64;

    /// Entry number `index`, or `None` when a region has no such entry.
    #[must_use]
    pub fn new(index: usize) -> Option<Self> {
        u8::try_from(index).ok().filter(|_| index < Self::COUNT).map(Self)
    }

    /// All entries in order.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..Self::COUNT).filter_map(Self::new)
    }

    /// The number, always below [`DeviceIndex::COUNT`] (the mask lets the compiler see it).
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize & (Self::COUNT - 1)
    }
}

/// The region knows 64 other GPUs already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DevicesFull;

impl core::fmt::Display for DevicesFull {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(
            f,
            "the shared region knows {} other GPUs already; remove its file and start again",
            DeviceIndex::COUNT
        )
    }
}

impl core::error::Error for DevicesFull {}

/// One GPU. The head, which every change of memory writes, has a cache line of its own.
#[derive(Debug, Default)]
#[repr(C, align(64))]
pub struct DeviceEntry {
    /// The UUID's halves, as [`key_of`] makes them; 0 = not set yet. Once set they never change.
    key: [AtomicU64; 2],
    /// What a context cost when last measured, in bytes; 0 = not measured yet.
    learned_context: AtomicU64,
    /// The most that all processes have held together, in bytes.
    peak: AtomicU64,
    reserved: [AtomicU64; 4],
    /// The device's ledger.
    pub(crate) head: HeadWord,
    reserved_beside_head: [AtomicU64; 7],
}

/// Stands for a half of a UUID that is 0, since 0 is an empty key. (A random half is this value once in 2⁶⁴.)
const ZERO_HALF: u64 = 0x9e37_79b9_7f4a_7c15;

/// The halves of a UUID as they are stored: the bytes in their order, and never 0.
fn key_of(uuid: Uuid) -> [u64; 2] {
    let [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = uuid.0;
    [[a, b, c, d, e, f, g, h], [i, j, k, l, m, n, o, p]].map(|bytes| match u64::from_ne_bytes(bytes) {
        0 => ZERO_HALF,
        half => half,
    })
}

/// The UUID stored as `key`; `None` while a half is missing.
pub(crate) fn uuid_of(key: [u64; 2]) -> Option<Uuid> {
    let [[a, b, c, d, e, f, g, h], [i, j, k, l, m, n, o, p]] = key.map(|half| match half {
        ZERO_HALF => [0; 8],
        half => half.to_ne_bytes(),
    });
    let whole = key.iter().all(|&half| half != 0);
    whole.then_some(Uuid([a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p]))
}

impl DeviceEntry {
    /// Where the head is, in bytes from the start of the entry.
    pub(crate) const HEAD_OFFSET: usize = core::mem::offset_of!(Self, head);

    /// Whether this entry is, or now has become, the entry of `key`.
    ///
    /// Everyone tries the entries in the same order and passes one only when it belongs to another GPU for good, so that
    /// nobody can find a second place. An entry with one half set, by whom death overtook, is completed by the next GPU
    /// with that half.
    fn claim(&self, key: [u64; 2]) -> bool {
        self.key.iter().zip(key).all(|(word, half)| {
            let set = word.compare_exchange(0, half, Ordering::AcqRel, Ordering::Acquire);
            set.is_ok() || set == Err(half)
        })
    }

    /// Whether this is, or is just becoming, the entry of a GPU.
    pub(crate) fn is_taken(&self) -> bool {
        self.key.iter().any(|half| half.load(Ordering::Acquire) != 0)
    }

    /// What a context cost when last measured.
    pub(crate) fn learned_context(&self) -> Option<Bytes> {
        Some(self.learned_context.load(Ordering::Relaxed)).filter(|&bytes| bytes != 0).map(Bytes)
    }

    pub(crate) fn learn_context(&self, cost: Bytes) {
        self.learned_context.store(cost.0, Ordering::Relaxed);
    }

    /// Notes that all processes hold `total` bytes together. Mostly that is no more than ever, and costs a load of what is rarely
    /// written.
    pub(crate) fn note_peak(&self, total: u64) {
        if total > self.peak.load(Ordering::Relaxed) {
            self.peak.fetch_max(total, Ordering::Relaxed);
        }
    }
}

/// The entry of `uuid` among `entries`; a new one when it has none.
///
/// # Errors
/// [`DevicesFull`] when all entries belong to other GPUs.
pub fn find_or_claim(
    entries: &[DeviceEntry; DeviceIndex::COUNT],
    uuid: Uuid,
) -> Result<DeviceIndex, DevicesFull> {
    let key = key_of(uuid);
    let place = entries.iter().position(|entry| entry.claim(key));
    place.and_then(DeviceIndex::new).ok_or(DevicesFull)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crash::dying_before_write;

    const FIRST: Uuid = Uuid([1; 16]);
    const SECOND: Uuid = Uuid([2; 16]);
    const SAME_FIRST_HALF: Uuid = Uuid([1, 1, 1, 1, 1, 1, 1, 1, 9, 9, 9, 9, 9, 9, 9, 9]);

    fn owner(entry: &DeviceEntry) -> Option<Uuid> {
        uuid_of(entry.key.each_ref().map(|half| half.load(Ordering::Acquire)))
    }

    fn table() -> [DeviceEntry; DeviceIndex::COUNT] {
        std::array::from_fn(|_| DeviceEntry::default())
    }

    #[test]
    fn a_gpu_keeps_its_entry() {
        let table = table();
        let first = find_or_claim(&table, FIRST).unwrap();
        let second = find_or_claim(&table, SECOND).unwrap();
        assert_ne!(first, second);
        assert_eq!(find_or_claim(&table, FIRST), Ok(first));
        assert_eq!(owner(&table[first.index()]), Some(FIRST));
        assert_eq!(owner(&table[second.index()]), Some(SECOND));
    }

    #[test]
    fn uuids_with_a_zero_half_are_gpus_too() {
        let table = table();
        let uuids = [Uuid([0; 16]), Uuid([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1])];
        for uuid in uuids {
            let place = find_or_claim(&table, uuid).unwrap();
            assert_eq!(owner(&table[place.index()]), Some(uuid));
        }
    }

    #[test]
    fn the_sixty_fifth_gpu_is_refused() {
        let table = table();
        for index in 0..64 {
            assert_eq!(
                find_or_claim(&table, Uuid([index; 16])).map(DeviceIndex::index),
                Ok(usize::from(index))
            );
        }
        assert_eq!(find_or_claim(&table, Uuid([64; 16])), Err(DevicesFull));
        assert!(find_or_claim(&table, Uuid([63; 16])).is_ok());
    }

    #[test]
    fn a_death_while_claiming_leaves_the_table_usable() {
        for writes in 0..2 {
            let table = table();
            assert_eq!(dying_before_write(writes, || find_or_claim(&table, FIRST)), None);
            assert_eq!(owner(&table[0]), None);
            let other = find_or_claim(&table, SECOND).unwrap();
            let shared_half = find_or_claim(&table, SAME_FIRST_HALF).unwrap();
            let first = find_or_claim(&table, FIRST).unwrap();
            for (place, uuid) in [(other, SECOND), (shared_half, SAME_FIRST_HALF), (first, FIRST)] {
                assert_eq!(owner(&table[place.index()]), Some(uuid), "died before write {writes}");
                assert_eq!(find_or_claim(&table, uuid), Ok(place));
            }
        }
    }
}
