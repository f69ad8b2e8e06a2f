//! Tests on the staged shared objects, loaded as an application loads them, of both branches.
//!
//! The stage is found in `$VGPU_STAGE`, or in `stage/` of cargo's target directory; `cargo xtask stage` builds it.

mod clients;
mod conditions;
mod events;
mod exports;
mod handles;
mod initialisation;
mod internal_table;
mod memory;
mod nvml;
mod processes;
mod scene;
mod topology;
mod utilization;
