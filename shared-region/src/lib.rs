//! The memory-mapped accounting region that the processes of one container share.
//!
//! [`Region::open`] maps the file, [`Region::device`] finds a GPU's entry by UUID, and [`Region::join`] makes the calling
//! process a [`Member`], which reserves, charges and refunds memory: a few atomic operations, no lock that another process
//! could hold, no system call. What a member holds when it is killed is taken back by whoever needs it first.
//! [`snapshot::Snapshot`] is for readers outside, who trust nothing in the file. [`LimitsFile`] is the other file that a slice's
//! processes have mapped, for whoever may change their limits.
//!
//! # Safety story
//!
//! * The file is mapped once per region, never in part and never re-mapped; the only references into it are to
//!   [`layout`]'s structures, which are atomic words throughout, so that writes by other processes are not undefined behaviour.
//! * Indices into it are types whose values are in range by construction, also when another process has written rubbish: a
//!   tenant who corrupts the region gets wrong sums, never a wild pointer. If it cuts the file short, it and its like die of SIGBUS.
//! * Mappings, also that of a limits page, are made and ended in `mapping.rs`, locks and system calls without a safe wrapper are in `lock.rs`, what threads
//!   share is in `brief_lock.rs`, what the kernel tells a program at its start in `process/image.rs`; there is no other
//!   `unsafe` code.
//!
//! # What decides what
//!
//! Sums are kept by the [`ledger`]; who is alive by byte-range locks of open file descriptions (`slots.rs`, `hold.rs`), which the
//! kernel drops with the last reference from a dead process, whatever its PID namespace, and by process ids where they mean
//! something (`fate.rs`, `process/`).

#![cfg_attr(
    not(test),
    deny(clippy::expect_used, clippy::indexing_slicing, clippy::panic, clippy::unwrap_used)
)]
#![cfg_attr(loom, expect(dead_code, reason = "loom explores the ledger, without the file around it"))]

mod brief_lock;
mod class;
#[cfg(not(loom))]
pub mod compute;
#[cfg(any(loom, test))]
pub mod crash;
pub mod devices;
pub mod ledger;
mod refusals;
mod sync;

#[cfg(not(loom))]
mod error;
#[cfg(not(loom))]
mod fate;
#[cfg(not(loom))]
mod file;
#[cfg(not(loom))]
mod fork;
#[cfg(not(loom))]
mod hold;
#[cfg(not(loom))]
mod holders;
#[cfg(not(loom))]
mod imports;
#[cfg(not(loom))]
pub mod layout;
#[cfg(not(loom))]
mod limits_file;
#[cfg(not(loom))]
mod lock;
#[cfg(not(loom))]
mod mapping;
#[cfg(not(loom))]
mod member;
#[cfg(not(loom))]
mod process;
#[cfg(not(loom))]
mod reap;
#[cfg(not(loom))]
mod region;
#[cfg(not(loom))]
mod shares_file;
#[cfg(not(loom))]
mod slots;
#[cfg(not(loom))]
pub mod snapshot;
#[cfg(not(loom))]
mod usage;

pub use brief_lock::{BriefLock, Held, Latch};
pub use class::MemoryClass;
pub use devices::{DeviceIndex, DevicesFull};
#[cfg(not(loom))]
pub use error::{JoinError, LockFault, OpenError, OpenFault, ReapError};
#[cfg(not(loom))]
pub use holders::Holder;
#[cfg(not(loom))]
pub use imports::Imports;
pub use ledger::SlotId;
#[cfg(not(loom))]
pub use limits_file::{LimitsFile, LimitsFileError};
#[cfg(not(loom))]
pub use member::{Member, Refused};
#[cfg(not(loom))]
pub use reap::Reaped;
pub use refusals::{Refusal, SizeRange};
#[cfg(not(loom))]
pub use region::Region;
#[cfg(not(loom))]
pub use shares_file::{SharesFile, Writers};
#[cfg(not(loom))]
pub use usage::is_in_use;
