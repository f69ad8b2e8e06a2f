//! Work: streams, events, modules, launches, host functions.

mod event;
mod function;
mod graph;
mod grid;
mod host_calls;
mod image;
mod lane;
mod launch;
mod library;
mod link;
mod module;
mod stream;

pub(crate) use event::Event;
pub(crate) use function::{Function, SHARED_MEMORY, SHARED_MEMORY_OPT_IN, Traits};
pub(crate) use graph::{
    Capture, Capturing, Fill, Graph, GraphParts, Node, NodePlace as GraphNode, Seen, forbid_captures,
    forbid_unsafe, thread_mode,
};
pub(crate) use grid::{Grid, MOST_BLOCK, MOST_BLOCKS, MOST_GRID, MOST_THREADS};
pub(crate) use host_calls::{Callback, HostCalls};
pub(crate) use image::{BadImage, Image, KernelSpec, SimArgs, micros};
pub(crate) use lane::{DefaultStream, Lane};
pub(crate) use launch::{Launch, launch};
pub(crate) use library::{Kernel, Library};
pub(crate) use link::Link;
pub(crate) use module::{
    Module, accept as accept_image, function as find_function, kernel_names, load as load_module,
    unload as unload_module, variable,
};
pub(crate) use stream::{HIGHEST_PRIORITY, Stream};
