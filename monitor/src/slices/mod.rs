//! The slices of one user and what their processes hold: those that `vgpu run` started, and regions at the default path.
//!
//! A region is a tenant's to write, so a slice whose files make no sense is listed with the reason and hides no other.

mod compute;
mod limits;
mod people;
mod region;

use std::path::{Path, PathBuf};

pub use compute::Compute;
use contract::env::Priority;
use contract::limits_page::SharePolicy;
use contract::{Bytes, Percent, Uuid};
pub use shared_region::snapshot::{Correction, LastRefusal, RefusalCount, RefusalSummary};
pub use shared_region::{MemoryClass, SizeRange};

use crate::gpus::{Gpu, Inventory};
use crate::runs::{Runs, RunsError};

/// Where regions at the default path are.
pub const SHARED_MEMORY: &str = "/dev/shm";

/// One slice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slice {
    /// Name of its directory, or of the region at the default path.
    pub name: String,
    /// Process id of the `vgpu run` that started it.
    pub supervisor: Option<u32>,
    /// Whether that still runs. Where it does not, what it started goes on under the same limits.
    pub is_supervised: bool,
    /// Its accounting region.
    pub region: PathBuf,
    /// The GPUs that it may use or uses.
    pub gpus: Vec<SliceGpu>,
    /// Its processes, in the order of their slots. One that has not used a GPU is none.
    pub processes: Vec<SliceProcess>,
    /// Why not all of it can be shown.
    pub fault: Option<String>,
}

/// A GPU, as one slice has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SliceGpu {
    /// Its identity.
    pub uuid: Uuid,
    /// Its place in NVML's order, where that is known.
    pub index: Option<u32>,
    /// Its product name, where that is known.
    pub name: Option<String>,
    /// Its whole memory, where that is known.
    pub memory: Option<Bytes>,
    /// The most that the slice may hold.
    pub limit: Limit,
    /// The share of its time that was asked for.
    pub cores: Option<Percent>,
    /// What that share means.
    pub policy: SharePolicy,
    /// The slice's priority there.
    pub priority: Priority,
    /// What the slice holds.
    pub used: Bytes,
    /// The most that the slice has held.
    pub peak: Bytes,
    /// What was refused to its processes, also to those that are gone.
    pub refusals: RefusalSummary,
    /// What the processes that live do with its time.
    pub compute: Compute,
    /// How what they measure of that is corrected.
    pub correction: Correction,
}

/// A memory limit, as far as it can be seen from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// It is not to be seen.
    Unknown,
    /// There is none.
    Unlimited,
    /// So many bytes.
    Bytes(Bytes),
}

/// One process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SliceProcess {
    /// Its id where this is asked; `None` when it cannot be seen from here.
    pub pid: Option<u32>,
    /// Its id in its own PID namespace; 0 if what it wrote there is none.
    pub own_pid: u32,
    /// Inode number of its PID namespace.
    pub pid_namespace: u64,
    /// When it started, in clock ticks since boot.
    pub started: u64,
    /// Its command line, arguments separated by blanks. The process can write there what it likes.
    pub command: Option<String>,
    /// Whether it lives. What a dead one holds is taken back as soon as another process needs it.
    pub alive: bool,
    /// Bytes of all requests refused to it.
    pub refused_bytes: Bytes,
    /// What was last refused to it.
    pub last_refusal: Option<LastRefusal>,
    /// On which GPU that was, if what is written there is one.
    pub last_refused_gpu: Option<Uuid>,
    /// The largest request refused to it.
    pub largest_refusal: Bytes,
    /// What it holds of each of [`Slice::gpus`], in that order.
    pub usage: Vec<Usage>,
}

/// What one process holds and uses of one GPU.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// What it holds now.
    pub used: Bytes,
    /// The most that it has held.
    pub peak: Bytes,
    /// Part of what it holds that is contexts and the like.
    pub overhead: Bytes,
    /// Requests refused.
    pub refused: u64,
    /// What it does with the GPU's time.
    pub compute: Compute,
}

impl Usage {
    /// Whether the process has had nothing to do with the GPU.
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        *self == Self::default()
    }
}

/// Every slice of this user, and for root the regions of all users at the default path.
///
/// `runtime_dir` is `$XDG_RUNTIME_DIR`, `shared_memory` usually [`SHARED_MEMORY`]. With the slices come the errors of
/// directories of running slices that are there and cannot be used.
#[must_use]
pub fn all(runtime_dir: Option<&Path>, shared_memory: &Path) -> (Vec<Slice>, Vec<RunsError>) {
    let (mut slices, mut errors) = (Vec::new(), Vec::new());
    for runs in Runs::existing(runtime_dir) {
        match runs.and_then(|runs| runs.list()) {
            Ok(listed) => slices.extend(listed.into_iter().map(region::of_run)),
            Err(error) => errors.push(error),
        }
    }
    slices.extend(region::at_default_paths(shared_memory));
    people::introduce(&mut slices);
    slices.retain(Slice::is_in_use);
    (slices, errors)
}

/// The slices whose regions are at the default path in `shared_memory`: of this user, or of everybody for root.
#[must_use]
pub fn at_default_paths(shared_memory: &Path) -> Vec<Slice> {
    let mut slices = region::at_default_paths(shared_memory);
    people::introduce(&mut slices);
    slices.retain(Slice::is_in_use);
    slices
}

impl Slice {
    /// Adds what the driver says about GPUs of which only the UUID is known.
    pub fn identify(&mut self, inventory: &Inventory) {
        for gpu in &mut self.gpus {
            if let Some(known) = inventory.gpus.iter().find(|known| known.uuid == gpu.uuid) {
                gpu.learn(known);
            }
        }
        limits::of_environment(self);
    }

    /// Whether somebody may use a GPU in it. What the dead have left in a region, the next process that comes takes back. One that
    /// cannot be read is listed with the reason.
    fn is_in_use(&self) -> bool {
        self.is_supervised || self.fault.is_some() || self.processes.iter().any(|process| process.alive)
    }

    /// Whether the index of a GPU in use is not known.
    #[must_use]
    pub fn has_unidentified(&self) -> bool {
        self.gpus.iter().any(|gpu| gpu.index.is_none())
    }
}

impl SliceGpu {
    fn learn(&mut self, known: &Gpu) {
        self.index.get_or_insert(known.index);
        self.memory = self.memory.or(known.memory);
        self.name.get_or_insert_with(|| known.name.clone());
    }
}
