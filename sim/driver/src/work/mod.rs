//! Work: streams, events, modules, launches, host functions.

mod event;
mod function;
mod grid;
mod host_calls;
mod image;
mod lane;
mod launch;
mod module;
mod stream;

pub(crate) use event::Event;
pub(crate) use function::{Function, SHARED_MEMORY, SHARED_MEMORY_OPT_IN};
pub(crate) use grid::{Grid, MOST_BLOCK, MOST_BLOCKS, MOST_GRID, MOST_THREADS};
pub(crate) use host_calls::{Callback, HostCalls};
pub(crate) use image::{Image, KernelSpec, micros};
pub(crate) use lane::{DefaultStream, Lane};
pub(crate) use launch::{Launch, launch};
pub(crate) use module::{Module, function as find_function, load as load_module, unload as unload_module};
pub(crate) use stream::{HIGHEST_PRIORITY, Stream};
