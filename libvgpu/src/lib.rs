//! `libvgpu.so`, the library that makes a program live in its slice of a GPU.
//!
//! It is preloaded into every process of a container and stands between the program and the CUDA driver API and NVML.
//!
//! - `abi`: how calls reach us and how we reach the driver. Nothing is done before the first CUDA or NVML call: there
//!   is no constructor, and a name looked up with `dlsym` costs a few comparisons.
//! - `state`: what this process is. Decided at that first call, once.
//! - `throttle`: the share of a device's time that is this slice's, and the waiting for it.
//! - `hooks`: one function an intercepted entry point: observe the arguments, decide, call the driver, settle.
//!
//! # Safety of the whole
//!
//! Hooks run on the application's threads with its arguments. They pass those on unchanged, read and write through
//! pointers only where the driver has just accepted them, never hold a lock across a call of the driver other than a
//! device's `state::Turn` for its contexts and those of one `state::Pool`, never call an exported name of the driver
//! (that would be our own), and never unwind: the library is built with `panic = "abort"` and has no reachable panic.
//! Process-wide state is leaked, never destroyed, since other threads may be inside a hook until the very end.

#![cfg_attr(
    not(test),
    deny(
        clippy::exit,
        clippy::expect_used,
        clippy::indexing_slicing,
        clippy::panic,
        clippy::print_stderr,
        clippy::print_stdout,
        clippy::unwrap_used
    )
)]

mod abi;
mod clock;
mod errno;
mod hooks;
mod report;
mod state;
mod stream;
mod throttle;
