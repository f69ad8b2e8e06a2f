//! Why the machine says no.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The reason for a refusal, in the driver's own terms.
///
/// The names and the numbers a driver library answers with are those of `CUresult`; the number is in each item's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Refusal {
    /// An argument makes no sense: a size of zero, an unknown allocation, a range outside of one (1).
    InvalidValue,
    /// The device has no room (2).
    OutOfMemory,
    /// There is no device of that index (101).
    InvalidDevice,
    /// The context is unknown, destroyed, or another process's (201).
    InvalidContext,
    /// An uncorrectable memory error: only ever injected (214).
    EccUncorrectable,
    /// The stream, event or host call is unknown, destroyed, or another process's; or the event keeps no time (400).
    InvalidHandle,
    /// Work is still under way (600).
    NotReady,
    /// A kernel failed: only ever injected (719).
    LaunchFailed,
    /// Not permitted to this kind of connection (800).
    NotPermitted,
    /// The machine is not ready for work: only ever injected (802).
    SystemNotReady,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::InvalidValue => "invalid value",
            Self::OutOfMemory => "out of memory",
            Self::InvalidDevice => "invalid device",
            Self::InvalidContext => "invalid context",
            Self::EccUncorrectable => "uncorrectable memory error",
            Self::InvalidHandle => "invalid handle",
            Self::NotReady => "not ready",
            Self::LaunchFailed => "launch failed",
            Self::NotPermitted => "not permitted",
            Self::SystemNotReady => "system not ready",
        })
    }
}

impl std::error::Error for Refusal {}
