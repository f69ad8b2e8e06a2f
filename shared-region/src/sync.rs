//! The one file that knows where atomics come from.
//!
//! Production takes them from `core`. Under `cfg(loom)` they are loom's, which explores every interleaving; in tests and
//! under loom a write first passes `crash.rs`, where a test can make the writing process die.

pub(crate) use core::sync::atomic::Ordering;

#[cfg(not(any(loom, test)))]
pub(crate) use core::sync::atomic::AtomicU64;

#[cfg(any(loom, test))]
pub(crate) use crate::crash::AtomicU64;
