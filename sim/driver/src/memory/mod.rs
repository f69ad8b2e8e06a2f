//! Memory: allocation, copies, fills, and what can be asked of a pointer.

mod allocate;
mod copy;
mod extent;
mod fill;
mod graph;
mod host;
mod host_pool;
mod mapped;
mod names;
mod physical;
mod place;
mod pointer;
mod pool;

pub(crate) use allocate::{
    allocate, allocate_code, allocate_pitched, free, free_array, free_code, migrate, place_code, range_of,
};
pub(crate) use copy::copy;
pub(crate) use extent::{Block, End};
pub(crate) use fill::{Pattern, fill};
pub(crate) use graph::{GraphBlock, GraphBlocks, free_of_graph, of_graphs};
pub(crate) use host::HostMemory;
pub(crate) use host_pool::HostPlace;
use host_pool::free_of_host_pool;
pub(crate) use names::{EventName, Name, close};
pub(crate) use physical::{Physical, PhysicalMemory, Properties};
pub(crate) use place::{Place, Side};
pub(crate) use pointer::{Answer, ask, unknown};
pub(crate) use pool::{DevicePools, Pool, allocate_from_pool, free_in_stream};
