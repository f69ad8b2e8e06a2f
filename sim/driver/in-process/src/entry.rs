//! The entry points.

#![allow(non_snake_case, reason = "the functions are called as the library's")]
#![allow(clippy::missing_safety_doc, reason = "as the CUDA documentation of each function demands")]
#![allow(missing_docs, reason = "named and specified by the CUDA documentation")]

mod captures;
mod context;
mod device;
mod memory;

pub use captures::*;
pub use context::*;
pub use device::*;
pub use memory::*;
pub use sim_driver::entry::{
    cuDriverGetVersion, cuGetErrorName, cuGetErrorString, cuGetExportTable, cuGetProcAddress,
    cuGetProcAddress_v2,
};
