//! What this process is, decided once at its first CUDA or NVML call: a member of a slice, or left alone.
//!
//! - A **slice** is what the processes of a container share: the limits (`settings`, `variables`, `page`, `limits`), the region with
//!   their account, and the devices. `start` opens it.
//! - A **member** is one process in it: its account in the region, its contexts and allocations.
//! - A **site** is where an allocation would land: a member, a device, and the calling thread's context.
//! - A **place** is a device without a context: physical memory and pools belong to none.
//! - A **reservation** is memory set aside there before the driver is asked; a **refusal** is noted where others can see it.
//! - The **pools** are charged what they have taken from their devices, which the driver tells whoever asks.
//! - **Graphs** that allocate are charged in the same way, one store a device for all of a process.
//! - A **turn** lets one thread at a time create contexts on a device, so that `overhead` can learn what one takes with
//!   what `gpus` asks NVML. What no call tells is **observed**: `pulse` says when. `sweep` looks for the dead now and then.
//! - What is charged for physical memory that others hold too, `sharing` knows, by its `exports`.

mod around;
mod arrays;
mod capture;
mod contexts;
mod device;
mod exports;
mod gpus;
mod graphs;
mod greens;
mod identity;
mod lately;
mod limits;
mod member;
mod observed;
mod overhead;
mod page;
mod place;
mod pools;
mod processes;
mod pulse;
mod refusal;
mod reservation;
mod reserve;
mod settings;
mod sharing;
mod site;
mod slice;
mod start;
mod sweep;
mod turn;
mod usage;
mod variables;

pub(crate) use around::around;
pub(crate) use capture::undisturbed;
pub(crate) use device::Device;
pub(crate) use gpus::{compute_processes, keep_started, start as start_nvml, uuid as gpu_uuid};
pub(crate) use graphs::{GraphExec, Need};
pub(crate) use member::Member;
pub(crate) use observed::reconcile;
pub(crate) use overhead::NewContext;
pub(crate) use place::Place;
pub(crate) use pools::{Pool, current_pool, of_location};
pub(crate) use processes::Process;
pub(crate) use refusal::refused;
pub(crate) use reservation::Reservation;
pub(crate) use site::Site;
pub(crate) use slice::Slice;
pub(crate) use start::{slice, started};
pub(crate) use turn::Turn;
pub(crate) use usage::{Usage, Users};
pub(crate) use variables::variable;
