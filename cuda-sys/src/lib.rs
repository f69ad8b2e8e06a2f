//! Types and THE TABLE of CUDA driver and NVML entry points. A leaf: it declares, it never calls.
//!
//! One row of [`driver_api!`] or [`nvml_api!`] says everything this project knows about an entry point. The preload
//! library, the simulated driver, the conformance suite and the documentation are all expansions of the same rows,
//! so adding an entry point is one row here and one function where it is implemented.

#![no_std]
#![allow(non_camel_case_types, non_snake_case)]

mod driver_table;
mod nvml_table;
mod nvml_types;
mod result;
mod row;
mod types;

pub use nvml_types::*;
pub use result::{CUresult, nvmlReturn_t};
pub use row::{Class, DRIVER, NVML, Row, Stream};
pub use types::*;
