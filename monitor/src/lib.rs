//! Finds the GPUs and the running slices of a machine and what they hold, for the tools that start and show them, and divides
//! GPUs' time among slices.

#![forbid(unsafe_code)]

pub mod gpus;
pub mod meter;
pub mod page;
mod plain;
pub mod regions;
pub mod runs;
pub mod shares;
pub mod slices;
