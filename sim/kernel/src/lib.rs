//! The process that plays the kernel driver for the simulated GPU, and its client.
//!
//! The truth about a simulated machine lives in one process, `vgpu-sim-kernel`, so that a crash, a second tenant or a
//! monitor sees what a real card would show. Driver libraries reach it by [`Client`], which starts it on demand; it
//! goes away when nobody is connected. When a client dies, everything it held is freed, as a kernel driver would.

mod client;
mod peer;
mod place;
mod program;
mod protocol;
mod server;

pub use client::{Client, ConnectError, ConnectOptions, Fault};
pub use program::run;
pub use protocol::{
    Condition, Disturbance, Incident, Injection, Kind, MachineDescription, Presence, Subject,
};
pub use sim_model::{
    AllocationId, AllocationRequest, Bytes, Context, ContextId, DeviceConfig, DeviceDescription, DeviceIndex,
    DeviceTruth, Direction, EventFlags, EventId, Freed, GraphExecId, GraphMemory, HostCall, HostCallId,
    Kernel, Location, MachineConfig, MemoryInfo, Nanos, Operation, PciAddress, Permille, PieceId, PieceState,
    Placement, PoolId, PoolPlacement, PoolState, ProcessMemory, ProcessSample, ProcessTruth, Refusal, Sample,
    SlabId, SlabPlace, StoreRange, StreamId, StreamKind, Truth, Utilization, Uuid,
};
