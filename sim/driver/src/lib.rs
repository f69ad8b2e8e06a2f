//! libcuda.so.1 of the simulated GPU.
//!
//! The library is a client of the process that plays the kernel driver: memory, contexts, streams and time are that
//! process's truth. What is the library's own is what a real one keeps in user space: which context a thread has
//! current, at which addresses allocations are, and their contents.
//!
//! - [`entry`] has one function a simulated row of the table, with the C signature; the packages `sim-driver-<branch>`
//!   export it under the names of one driver branch. Every other name of the branch answers that it is not supported.
//! - `api/` has the bodies, by subject; what a body needs it states by the types of its parameters, which `abi` makes
//!   from the C arguments. `api/unsupported.txt` lists the rows without a body.
//! - `process` is the state that `cuInit` makes; `context`, `address`, `memory`, `array` and `work` are what it consists of.
//! - `profile` answers `cuGetProcAddress` from the recorded data in `profiles/`.
//!
//! Nothing here calls an exported name: the name may belong to a library that is in front of this one.

mod abi;
mod address;
mod api;
mod array;
mod context;
mod device;
mod durations;
pub mod entry;
mod errors;
mod faults;
mod handles;
mod memory;
mod outcome;
mod process;
mod profile;
mod trace;
mod visible;
mod width;
mod work;

pub use durations::Durations;
pub use profile::{Answer, Base, Profile};
