//! The requests, one a line.

use serde::{Deserialize, Serialize};
use sim_model::{
    AllocationId, AllocationRequest, Bytes, Context, ContextId, DeviceIndex, EventFlags, EventId, Freed,
    HostCall, HostCallId, Location, MemoryInfo, Nanos, Operation, Placement, ProcessMemory, ProcessSample,
    Sample, StreamId, StreamKind, Truth, Utilization,
};

use super::call::calls;
use super::messages::{Injection, Kind, MachineDescription};

/// Version of this protocol. Both sides are built together; a difference means a stale process of an older build.
pub(crate) const VERSION: u32 = 1;

/// Names one user of the machine across its connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct SessionId(pub(crate) u64);

calls! {
    /// First request of a connection. `session` joins the user that an earlier connection of this process began.
    Hello { version: u32, kind: Kind, session: Option<SessionId> } -> SessionId;
    /// Describes the machine.
    Machine {} -> MachineDescription;
    /// Memory of a device.
    Memory { device: DeviceIndex } -> MemoryInfo;

    CreateContext { device: DeviceIndex } -> Context;
    DestroyContext { context: ContextId } -> ();
    Allocate { context: ContextId, request: AllocationRequest } -> Placement;
    Free { allocation: AllocationId } -> Freed;
    Migrate { allocation: AllocationId, offset: Bytes, bytes: Bytes, to: Location } -> ();

    CreateStream { context: ContextId, kind: StreamKind } -> StreamId;
    DestroyStream { stream: StreamId } -> ();
    CreateEvent { context: ContextId, flags: EventFlags } -> EventId;
    DestroyEvent { event: EventId } -> ();
    Enqueue { stream: StreamId, operation: Operation } -> ();
    QueryStream { stream: StreamId } -> ();
    QueryEvent { event: EventId } -> ();
    SynchronizeStream { stream: StreamId } -> ();
    SynchronizeEvent { event: EventId } -> ();
    SynchronizeContext { context: ContextId } -> ();
    Elapsed { start: EventId, end: EventId } -> Nanos;
    NextHostCall {} -> HostCall;
    FinishHostCall { call: HostCallId } -> ();

    /// Processes with a context on the device.
    Processes { device: DeviceIndex } -> Vec<ProcessMemory>;
    GetUtilization { device: DeviceIndex } -> Utilization;
    Samples { device: DeviceIndex, since: Nanos } -> Vec<Sample>;
    ProcessSamples { device: DeviceIndex, since: Nanos } -> Vec<ProcessSample>;

    ReadTruth {} -> Truth;
    Inject { injection: Injection } -> ();
    Freeze { utilization: Option<Utilization> } -> ();
}
