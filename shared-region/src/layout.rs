//! The bytes of the region's file, version 5. `docs/region-format.md` says the same in prose.
//!
//! Everything in it is an atomic word: other processes write it at any time, so nothing may be a plain value to the compiler.

use core::mem::{offset_of, size_of};

use crate::compute::{ComputeStats, DeviceCompute};
use crate::devices::{DeviceEntry, DeviceIndex};
use crate::ledger::{Cell, Cells, Ledger, SlotId, WriteOff};
use crate::refusals::{LastRefusal, Refusals};
use crate::sync::{AtomicU64, Ordering};

/// The first eight bytes: `vgpuregn`. HAMi's region starts with the 32-bit number 19920718 instead.
pub const MAGIC: u64 = u64::from_ne_bytes(*b"vgpuregn");
/// The layout described here.
pub const VERSION: u64 = 5;
/// Bytes of the file.
pub const SIZE: usize = size_of::<RegionFile>();
/// Bytes of the header.
pub const HEADER_SIZE: usize = size_of::<Header>();
/// The header's words that have a meaning.
pub const HEADER_WORDS: usize = 8;

/// The header of a good file: its own description, so that a reader of another version can tell.
pub const HEADER: [u64; HEADER_WORDS] = [
    MAGIC,
    VERSION,
    SIZE as u64,
    DeviceIndex::COUNT as u64,
    size_of::<DeviceEntry>() as u64,
    SlotId::COUNT as u64,
    size_of::<Slot>() as u64,
    size_of::<Cell>() as u64,
];

/// Bytes beyond the data that are never written, only locked.
pub mod lock_bytes {
    use crate::ledger::SlotId;

    const BASE: u64 = 1 << 30;

    /// Held by the owner of `slot` for as long as he lives.
    #[must_use]
    pub const fn life(slot: SlotId) -> u64 {
        BASE + slot.index() as u64
    }

    /// Held for a moment by whoever is about to become the owner of `slot`.
    #[must_use]
    pub const fn claim(slot: SlotId) -> u64 {
        BASE + SlotId::COUNT as u64 + slot.index() as u64
    }

    /// Held by whoever is turning an empty file into a region.
    pub const INITIALISE: u64 = BASE + 2 * SlotId::COUNT as u64;

    /// Each held by its slot's owner while he holds memory that another process has created, by slot.
    pub const IMPORTS: core::ops::Range<u64> = 2 * BASE..2 * BASE + SlotId::COUNT as u64;

    /// That of [`IMPORTS`] which is the owner of `slot`'s.
    #[must_use]
    pub const fn imports(slot: SlotId) -> u64 {
        IMPORTS.start + slot.index() as u64
    }
}

/// The whole file.
#[repr(C)]
pub(crate) struct RegionFile {
    header: Header,
    pub(crate) devices: [DeviceEntry; DeviceIndex::COUNT],
    pub(crate) slots: [Slot; SlotId::COUNT],
    /// By slot, then by device: what one process writes is together.
    cells: [[Cell; DeviceIndex::COUNT]; SlotId::COUNT],
    /// By slot, then by device. Touched only after deaths, so not in the cells' cache lines.
    write_offs: [[WriteOff; DeviceIndex::COUNT]; SlotId::COUNT],
    refusals: [Refusals; DeviceIndex::COUNT],
    compute: [DeviceCompute; DeviceIndex::COUNT],
    /// By slot, then by device: what one process writes is together.
    compute_stats: [[ComputeStats; DeviceIndex::COUNT]; SlotId::COUNT],
}

/// One page. The description of the file is written once, by a system call, and never looked at through the mapping.
#[repr(C, align(4096))]
struct Header {
    description: [AtomicU64; 16],
    /// How many slots, from the first on, have had an owner at some time. Only grows, so that nobody need look at the others.
    slots_used: AtomicU64,
    reserved: [AtomicU64; 4096 / size_of::<u64>() - 17],
}

/// One process.
#[repr(C, align(128))]
pub(crate) struct Slot {
    /// How often the slot has changed hands: odd = it has an owner, or had one whose remains nobody has cleared up yet; even = it
    /// has none and holds nothing. See [`is_free`].
    pub(crate) tenure: AtomicU64,
    /// The owner's process id in its own PID namespace.
    pub(crate) pid: AtomicU64,
    /// Inode number of the owner's PID namespace.
    pub(crate) pid_namespace: AtomicU64,
    /// When the owner started, in clock ticks since boot: field 22 of its `/proc/<pid>/stat`.
    pub(crate) started: AtomicU64,
    /// How the owner holds its lock: [`HELD_BY_MAPPING`], [`HELD_BY_DESCRIPTOR`] or [`HELD_BY_SHARED_MAPPING`].
    pub(crate) hold: AtomicU64,
    /// A random number that the owner's process draws anew when it calls `exec`.
    pub(crate) image: AtomicU64,
    /// Bytes of all requests refused to the owner.
    pub(crate) refused_bytes: AtomicU64,
    /// On which device the owner was last refused.
    pub(crate) last_refused_device: AtomicU64,
    /// What was last refused to the owner.
    pub(crate) last_refusal: LastRefusal,
    reserved: [AtomicU64; 4],
}

/// Whether a slot has no owner and holds nothing, by its [`Slot::tenure`].
pub(crate) const fn is_free(tenure: u64) -> bool {
    tenure.is_multiple_of(2)
}

/// How many owners a slot has had, by its [`Slot::tenure`].
pub(crate) const fn owners(tenure: u64) -> u64 {
    tenure.div_ceil(2)
}

/// The owner's lock ends with its address space.
pub(crate) const HELD_BY_MAPPING: u64 = 0;
/// The owner's lock ends with the last copy of a descriptor, which other code in the process might close and forked children inherit.
pub(crate) const HELD_BY_DESCRIPTOR: u64 = 1;
/// As [`HELD_BY_MAPPING`], but a child that another thread forked in the middle of joining may have the lock as well.
pub(crate) const HELD_BY_SHARED_MAPPING: u64 = 2;

/// The cells of one device.
pub(crate) struct DeviceCells<'a> {
    file: &'a RegionFile,
    device: DeviceIndex,
}

impl Cells for DeviceCells<'_> {
    fn cell(&self, slot: SlotId) -> &Cell {
        self.file.cell(slot, self.device)
    }

    fn write_off(&self, slot: SlotId) -> &WriteOff {
        self.file.write_off(slot, self.device)
    }
}

// An index type's number is below the length of the arrays it indexes.
#[expect(clippy::indexing_slicing, reason = "bounded by the index types; the compiler drops the check")]
impl RegionFile {
    /// Where the cells start, in bytes.
    pub(crate) const CELLS_OFFSET: usize = offset_of!(Self, cells);
    /// Where the write-off words start, in bytes.
    pub(crate) const WRITE_OFFS_OFFSET: usize = offset_of!(Self, write_offs);
    /// Where the number of slots used is, in bytes.
    pub(crate) const SLOTS_USED_OFFSET: usize = offset_of!(Header, slots_used);
    /// Where what was refused starts, in bytes.
    pub(crate) const REFUSALS_OFFSET: usize = offset_of!(Self, refusals);
    /// Where the devices' compute words start, in bytes.
    pub(crate) const COMPUTE_OFFSET: usize = offset_of!(Self, compute);
    /// Where the processes' compute statistics start, in bytes.
    pub(crate) const COMPUTE_STATS_OFFSET: usize = offset_of!(Self, compute_stats);

    pub(crate) const fn device(&self, device: DeviceIndex) -> &DeviceEntry {
        &self.devices[device.index()]
    }

    /// The devices that some process has met: the first ones, as each takes the first place that is free.
    pub(crate) fn met_devices(&self) -> impl Iterator<Item = DeviceIndex> {
        DeviceIndex::all().take_while(|device| self.device(*device).is_taken())
    }

    pub(crate) const fn slot(&self, slot: SlotId) -> &Slot {
        &self.slots[slot.index()]
    }

    pub(crate) const fn cell(&self, slot: SlotId, device: DeviceIndex) -> &Cell {
        &self.cells[slot.index()][device.index()]
    }

    /// The slots that have, or had at some time, an owner. Who becomes one later holds nothing that was there before.
    pub(crate) fn used_slots(&self) -> impl Iterator<Item = SlotId> {
        let used = usize::try_from(self.header.slots_used.load(Ordering::Acquire)).unwrap_or(SlotId::COUNT);
        SlotId::all().take(used)
    }

    /// Counts `slot` among the [used ones](Self::used_slots). To be done before it gets an owner.
    pub(crate) fn note_use(&self, slot: SlotId) {
        let (word, least) = (&self.header.slots_used, slot.index() as u64 + 1);
        let mut used = word.load(Ordering::Relaxed);
        while used < least {
            match word.compare_exchange(used, least, Ordering::AcqRel, Ordering::Relaxed) {
                Ok(_) => break,
                Err(now) => used = now,
            }
        }
    }

    pub(crate) const fn refusals(&self, device: DeviceIndex) -> &Refusals {
        &self.refusals[device.index()]
    }

    pub(crate) const fn compute(&self, device: DeviceIndex) -> &DeviceCompute {
        &self.compute[device.index()]
    }

    pub(crate) const fn compute_stats(&self, slot: SlotId, device: DeviceIndex) -> &ComputeStats {
        &self.compute_stats[slot.index()][device.index()]
    }

    const fn write_off(&self, slot: SlotId, device: DeviceIndex) -> &WriteOff {
        &self.write_offs[slot.index()][device.index()]
    }

    pub(crate) const fn ledger(&self, device: DeviceIndex) -> Ledger<'_, DeviceCells<'_>> {
        Ledger::new(&self.device(device).head, DeviceCells { file: self, device })
    }
}

const _: () = {
    assert!(size_of::<Header>() == 4096 && offset_of!(Header, slots_used) == 128);
    assert!(size_of::<DeviceEntry>() == 128 && DeviceEntry::HEAD_OFFSET == 64);
    assert!(size_of::<Slot>() == 128 && offset_of!(Slot, last_refusal) == 64);
    assert!(size_of::<Cell>() == 64 && align_of::<Cell>() == 64);
    assert!(offset_of!(RegionFile, devices) == 4_096);
    assert!(offset_of!(RegionFile, slots) == 12_288);
    assert!(RegionFile::CELLS_OFFSET == 143_360);
    assert!(RegionFile::WRITE_OFFS_OFFSET == 4_337_664);
    assert!(RegionFile::REFUSALS_OFFSET == 4_861_952 && size_of::<Refusals>() == 4096);
    assert!(RegionFile::COMPUTE_OFFSET == 5_124_096 && size_of::<DeviceCompute>() == 128);
    assert!(offset_of!(DeviceCompute, finish) == 0 && offset_of!(DeviceCompute, trim) == 64);
    assert!(offset_of!(DeviceCompute, gate) == 96);
    assert!(RegionFile::COMPUTE_STATS_OFFSET == 5_132_288 && size_of::<ComputeStats>() == 64);
    assert!(SIZE == 9_326_592 && SIZE.is_multiple_of(4096));
    // A slot's cells are one page, its compute statistics another, and the locks lie beyond the data.
    assert!(size_of::<Cell>() * DeviceIndex::COUNT == 4096);
    assert!(RegionFile::COMPUTE_STATS_OFFSET.is_multiple_of(4096));
    assert!(lock_bytes::life(SlotId::ZERO) > SIZE as u64);
};
