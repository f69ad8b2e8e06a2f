//! What this process is, decided once at its first CUDA or NVML call: a tenant of a slice, or left alone.

mod contexts;
mod device;
mod gpus;
mod limits;
mod overhead;
mod page;
mod reservation;
mod settings;
mod site;
mod slice;
mod start;
mod sweep;
mod tenant;
mod turn;

pub(crate) use gpus::uuid as gpu_uuid;
pub(crate) use overhead::NewContext;
pub(crate) use reservation::Reservation;
pub(crate) use site::Site;
pub(crate) use slice::Slice;
pub(crate) use start::{slice, started};
pub(crate) use turn::Turn;
