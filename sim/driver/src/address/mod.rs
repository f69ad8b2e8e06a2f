//! Device addresses: where allocations of this process are, and what lies at an address.

mod arena;
mod extents;
mod space;

pub(crate) use space::{Allocation, Kind, Space};
