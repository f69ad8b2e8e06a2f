//! What one process holds. No FFI and no IO, so that it can be tested and measured without a driver.

#![forbid(unsafe_code)]

mod allocations;
mod hasher;

pub use allocations::{Allocation, AllocationId, Allocations, ContextId};
