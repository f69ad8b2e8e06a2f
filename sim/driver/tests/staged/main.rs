//! Tests on the staged shared objects, loaded as an application loads them, of both branches.
//!
//! The stage is found in `$VGPU_STAGE`, or in `stage/` of cargo's target directory; `cargo xtask stage` builds it.

mod array_copies;
mod arrays;
mod attributes;
mod captures;
mod contexts;
mod copies;
mod cuda;
mod exports;
mod faults;
mod graph_kernels;
mod graph_memory;
mod graphs;
mod green;
mod host_memory;
mod launches;
mod launches_together;
mod libraries;
mod lookup;
mod managed;
mod memory;
mod null;
mod pointers;
mod pools;
mod processes;
mod profile;
mod runtime;
mod scene;
mod sparse_arrays;
mod start;
mod streams;
mod threads;
mod timed;
mod virtual_memory;
mod visible;
