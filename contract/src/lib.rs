//! Names, units and codecs that every component of vgpu agrees on.
//!
//! Nothing here reads a file, a clock or the environment: callers hand in bytes, or a function that looks a name up.

#![forbid(unsafe_code)]

pub mod annotations;
pub mod claim;
pub mod env;
pub mod json;
pub mod limits_page;
pub mod names;
pub mod node;
pub mod nvidia_smi;
pub mod paths;
pub mod proc_pid;
pub mod quantity;
pub mod refusals;
pub mod resources;
pub mod size;
mod text;
mod units;
mod uuid;

pub use text::Foreign;
pub use units::{Bytes, Percent, Permille};
pub use uuid::{ParseUuidError, Uuid};
