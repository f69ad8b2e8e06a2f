//! How calls reach us and how we reach the driver: exports, real pointers, `dlsym`, `cuGetProcAddress`.
//!
//! Nothing here knows about limits.

mod dlsym;
pub(crate) mod driver;
mod elf;
mod filter;
mod interpose;
pub(crate) mod library;
mod loader;
pub(crate) mod nvml;
