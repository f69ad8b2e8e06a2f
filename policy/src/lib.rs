//! Pure limit decisions: integers in, a verdict out.
//!
//! No clock, no allocation, no IO: time and sizes are arguments, so that every rule can be tested without a process and
//! runs the same on a virtual clock. Amounts of memory are bytes,
//! times nanoseconds.

#![no_std]
#![forbid(unsafe_code)]

pub mod compute;
pub mod quota;
pub mod view;
