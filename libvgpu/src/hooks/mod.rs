//! One module a class of the table, one function a row. A hook observes its arguments, asks the slice, calls the real
//! function and settles; without a slice it only calls the real function.

#![allow(non_snake_case, reason = "the names of the driver and of NVML")]

pub(crate) mod arrays;
pub(crate) mod capture;
pub(crate) mod context;
pub(crate) mod context_limits;
pub(crate) mod copies;
pub(crate) mod fills;
pub(crate) mod graphs;
pub(crate) mod green;
pub(crate) mod init;
pub(crate) mod launch;
pub(crate) mod linear;
pub(crate) mod lookup;
pub(crate) mod modules;
pub(crate) mod multicast;
pub(crate) mod nvml;
pub(crate) mod physical;
pub(crate) mod pitched;
pub(crate) mod pools;
pub(crate) mod report;
pub(crate) mod streams;
pub(crate) mod waiting;
