//! A GPU as a pure function of time.
//!
//! The model has no clock and does no input or output: time is an argument, and everything that happens between two
//! instants is computed, never waited for. The simulated kernel driver runs it on the machine's clock; the accuracy
//! tables run it on a clock of their own.

#![forbid(unsafe_code)]

mod config;
mod description;
mod identity;
mod ids;
mod machine;
mod memory;
mod meter;
mod refusal;
mod report;
mod timeline;
mod units;
mod work;

pub use config::{ConfigError, DeviceConfig, MachineConfig};
pub use description::DeviceDescription;
pub use identity::{PciAddress, Uuid};
pub use ids::{
    AllocationId, ContextId, DeviceIndex, EventId, GraphExecId, HostCallId, PieceId, PoolId, ProcessId,
    SlabId, StreamId,
};
pub use machine::Machine;
pub use refusal::Refusal;
pub use report::{
    DeviceTruth, MemoryInfo, ProcessMemory, ProcessSample, ProcessTruth, Sample, Truth, Utilization,
};
pub use timeline::{Admission, Wait};
pub use units::{Bytes, Nanos, Permille};
pub use work::{
    AllocationRequest, Context, Direction, EventFlags, Freed, GraphMemory, HostCall, Kernel, Location,
    Operation, PieceState, Placement, PoolPlacement, PoolState, SlabPlace, StoreRange, StreamKind,
};
