//! libnvidia-ml.so.1 of the simulated GPU.
//!
//! The library is a client of the process that plays the kernel driver: what it tells of memory, processes and
//! utilisation is that process's truth; what does not change (names, limits of the board, modes) is an H100's.
//!
//! - [`entry`] has one function a simulated row of the table, with the C signature. A driver branch is a package of
//!   its own, named after it, whose shared object exports these functions under the branch's names; every other name
//!   of the branch answers that it is not supported.
//! - `calls/` has the bodies, by subject, in safe code: what a body needs it states by the types of its parameters,
//!   which `abi` makes from the C arguments.
//! - `library` counts initialisations and holds the connection.
//!
//! Tables, order of checks and return codes follow the NVML documentation and, where `docs` are silent, what the
//! real 535 and 550 libraries answer without a device.

mod abi;
mod board;
mod branch;
mod calls;
mod clock;
mod device;
pub mod entry;
mod internal_samples;
mod internal_table;
mod library;
mod list;
mod program;
mod session;

pub use branch::{BRANCH_470, BRANCH_535, BRANCH_550, BRANCH_570, BRANCH_580, BRANCH_615, Branch, select};
