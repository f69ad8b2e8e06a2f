//! What each entry point does: functions with the names of the table, by subject.

#![allow(non_snake_case, reason = "the names are the table's")]
#![allow(clippy::too_many_arguments, reason = "the parameters are the table's")]

/// Further names of a body: variants that differ in what [`crate::abi`] makes equal.
macro_rules! same {
    ($($body:ident: $($name:ident)*;)*) => { $($(pub(crate) use $body as $name;)*)* };
}

mod array;
mod array_mapping;
mod capture;
mod context;
mod copy;
mod device;
mod driver;
mod event;
mod fill;
mod function;
mod graph;
mod graph_changes;
mod graph_kernel;
mod graph_memory;
mod graph_node;
mod graph_nodes;
mod graph_work;
mod green;
mod host;
mod ipc;
mod launch;
mod launch_devices;
mod launch_state;
mod library;
mod linear;
mod link;
mod lookup;
mod managed;
mod module;
mod physical;
mod pointer;
mod pool;
mod pool_sharing;
mod primary;
mod stream;
mod texture;
mod virtual_memory;

pub(crate) use array::*;
pub(crate) use array_mapping::*;
pub(crate) use capture::*;
pub(crate) use context::*;
pub(crate) use copy::*;
pub(crate) use device::*;
pub(crate) use driver::*;
pub(crate) use event::*;
pub(crate) use fill::*;
pub(crate) use function::*;
pub(crate) use graph::*;
pub(crate) use graph_changes::*;
pub(crate) use graph_kernel::*;
pub(crate) use graph_memory::*;
pub(crate) use graph_node::*;
pub(crate) use graph_nodes::*;
pub(crate) use graph_work::*;
pub(crate) use green::*;
pub(crate) use host::*;
pub(crate) use ipc::*;
pub(crate) use launch::*;
pub(crate) use launch_devices::*;
pub(crate) use launch_state::*;
pub(crate) use library::*;
pub(crate) use linear::*;
pub(crate) use link::*;
pub(crate) use lookup::*;
pub(crate) use managed::*;
pub(crate) use module::*;
pub(crate) use physical::*;
pub(crate) use pointer::*;
pub(crate) use pool::*;
pub(crate) use pool_sharing::*;
pub(crate) use primary::*;
pub(crate) use stream::*;
pub(crate) use texture::*;
pub(crate) use virtual_memory::*;
