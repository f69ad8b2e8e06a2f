//! Device addresses: where allocations of this process are, and what lies at an address.

mod allocation;
mod arena;
mod extents;
mod reserved;
mod shared;
mod space;

pub(crate) use allocation::{Allocation, Home, Kind};
pub(crate) use reserved::{HOST, Mapping};
pub(crate) use shared::Foreign;
pub(crate) use space::Space;
