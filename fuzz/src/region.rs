//! A region that processes have used, and where a tenant writes in it. The offsets are those of `docs/region-format.md`.

use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use contract::{Bytes, Uuid};
use monitor::slices::SHARED_MEMORY;
use policy::compute::Nanos;
use shared_region::layout::{HEADER, SIZE};
use shared_region::{MemoryClass, Refusal, Region};
use tempfile::TempDir;

use crate::take::Take;

/// The GPUs that the region knows.
pub const GPUS: [Uuid; 2] = [Uuid([7; 16]), Uuid([9; 16])];
/// What the processes of the region may hold.
pub const LIMIT: Bytes = Bytes(1 << 30);

const DEVICES: usize = 4096;
const DEVICE: usize = 128;
const SLOTS: usize = 12_288;
const SLOT: usize = 128;
const CELLS: usize = 143_360;
const CELL: usize = 64;
const WRITE_OFFS: usize = 4_337_664;
const REFUSALS: usize = 4_861_952;
const COMPUTE: usize = 5_124_096;
const COMPUTE_STATS: usize = 5_132_288;
const LINE: usize = 64;
const PAGE: usize = 4096;
/// Devices and slots of a region.
const DEVICE_COUNT: usize = 64;
const SLOT_COUNT: usize = 1024;

/// A region of its own for a target, which many inputs change.
pub struct Bed {
    /// Its directory.
    dir: TempDir,
    file: File,
    /// What is in the file before an input.
    image: Vec<u8>,
    /// Its slots that have an owner.
    owned: Vec<usize>,
}

impl Bed {
    /// A region that two processes have used and one still uses.
    #[must_use]
    pub fn new() -> Self {
        // Where regions usually are: in memory, which is faster to put back.
        let dir = tempfile::tempdir_in(SHARED_MEMORY).or_else(|_| tempfile::tempdir());
        let dir = dir.expect("a temporary directory");
        let path = path_in(dir.path());
        let region = Region::open(&path).expect("a new region");
        let [first, second] = GPUS.map(|gpu| region.device(gpu).expect("room for a GPU"));
        drop(region.join().expect("a slot"));
        let [one, other] = [(); 2].map(|()| region.join().expect("a slot"));
        one.charge(first, Bytes(600));
        one.charge(second, Bytes(5));
        other.reserve(first, Bytes(100), LIMIT).expect("it fits");
        other.note_overhead(first, Bytes(50));
        other.refused(first, Refusal { class: MemoryClass::Pool, bytes: LIMIT, at: 1 });
        let compute = one.compute(first).expect("a member");
        compute.stats.launched(9, Nanos(5));
        compute.stats.begin_wait();
        compute.trim.note_source(true);
        let owned = vec![one.slot().index(), other.slot().index()];
        let image = fs::read(&path).expect("readable");
        drop((one, other));
        let file = OpenOptions::new().read(true).write(true).open(&path).expect("a file");
        let bed = Self { dir, file, image, owned };
        bed.reset();
        bed
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> PathBuf {
        path_in(self.dir.path())
    }

    /// The directory, in which nothing else is.
    #[must_use]
    pub fn dir(&self) -> &Path {
        self.dir.path()
    }

    /// Puts everything back.
    pub fn reset(&self) {
        self.file.write_all_at(&self.image, 0).expect("writable");
        self.file.set_len(SIZE as u64).expect("writable");
    }

    /// Writes one word as `input` says. `own` is the slot of whoever is told to.
    pub(crate) fn write(&self, input: &mut Take<'_>, own: Option<usize>) {
        let (at, value) = (self.place(input, own), input.amount());
        self.file.write_all_at(&value.to_ne_bytes(), at as u64).expect("writable");
    }

    /// Puts the word back that the same `input` writes.
    pub(crate) fn undo(&self, input: &mut Take<'_>) {
        let at = self.place(input, None);
        input.amount();
        self.file.write_all_at(&self.image[at..at + 8], at as u64).expect("writable");
    }

    /// Cuts the file off.
    pub(crate) fn cut(&self, length: usize) {
        self.file.set_len(length as u64).expect("writable");
    }

    /// A word's offset: mostly of something that is in use.
    fn place(&self, input: &mut Take<'_>, own: Option<usize>) -> usize {
        match input.byte() % 10 {
            0 => input.short() % (HEADER.len() + 16) * 8,
            1 => DEVICES + device(input) * DEVICE + input.short() % (DEVICE / 8) * 8,
            2 => SLOTS + self.slot(input, own) * SLOT + input.short() % (SLOT / 8) * 8,
            3 | 4 => CELLS + self.cell(input, own) * CELL + input.short() % (CELL / 8) * 8,
            5 => WRITE_OFFS + self.cell(input, own) * 8,
            6 => REFUSALS + device(input) * PAGE + input.short() % (PAGE / 8) * 8,
            7 => COMPUTE + device(input) * 2 * LINE + input.short() % (2 * LINE / 8) * 8,
            8 => COMPUTE_STATS + self.cell(input, own) * LINE + input.short() % (LINE / 8) * 8,
            _ => (input.short() << 8 | usize::from(input.byte())) % (SIZE / 8) * 8,
        }
    }

    fn cell(&self, input: &mut Take<'_>, own: Option<usize>) -> usize {
        self.slot(input, own) * DEVICE_COUNT + device(input)
    }

    /// By low numbers the slots in use, wherever those are.
    fn slot(&self, input: &mut Take<'_>, own: Option<usize>) -> usize {
        match (input.byte(), own) {
            (0..64, Some(own)) => own,
            (64..128, _) => self.owned[0],
            (128..192, _) => self.owned[1],
            _ => input.short() % SLOT_COUNT,
        }
    }
}

impl Default for Bed {
    fn default() -> Self {
        Self::new()
    }
}

fn device(input: &mut Take<'_>) -> usize {
    match input.byte() {
        number @ 0..192 => usize::from(number) % 3,
        number => usize::from(number) % DEVICE_COUNT,
    }
}

/// A name that a region has at its default path, so that slices are looked for here as they are in `/dev/shm`.
fn path_in(dir: &Path) -> PathBuf {
    use std::os::unix::fs::MetadataExt;
    let uid = fs::metadata(dir).expect("it is there").uid();
    dir.join(format!("vgpu-{uid}-1"))
}
