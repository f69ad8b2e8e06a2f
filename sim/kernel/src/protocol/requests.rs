//! The requests, one a line. What each does is said where the client offers it.

use serde::{Deserialize, Serialize};
use sim_model::{
    AllocationId, AllocationRequest, Bytes, Context, ContextId, DeviceIndex, EventFlags, EventId, Freed,
    GraphExecId, GraphMemory, HostCall, HostCallId, Location, MemoryInfo, Nanos, Operation, PieceId,
    PieceState, Placement, PoolId, PoolPlacement, PoolState, ProcessMemory, ProcessSample, Sample, StreamId,
    StreamKind, Truth, Utilization,
};

use super::call::calls;
use super::condition::{Condition, Disturbance, Incident};
use super::messages::{Exported, Injection, Kind, MachineDescription};

/// Version of this protocol. Both sides are built together; a difference means a process of another build.
pub(crate) const VERSION: u32 = 4;

/// Names one user of the machine across its connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct SessionId(pub(crate) u64);

/// A request as it travels.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Request {
    /// The first of a connection, and never a later one.
    Open(OpenRequest),
    /// Any connection's.
    Report(ReportRequest),
    /// A driver library's.
    Memory(MemoryRequest),
    /// A driver library's.
    Pool(PoolRequest),
    /// A driver library's.
    Graph(GraphRequest),
    Physical(PhysicalRequest),
    /// A driver library's.
    Work(WorkRequest),
    /// An observer's.
    Observe(ObserverRequest),
}

calls! {
    /// Beginning of a connection.
    OpenRequest in Open:
    /// `session` joins the user that an earlier connection of this process began.
    Hello { version: u32, kind: Kind, session: Option<SessionId> } -> SessionId;
    /// The connection is a descriptor of something from now on and carries nothing else: whoever has it can have that, and as
    /// long as anybody has it, a piece lives. `cookie` is what the kernel calls this end of it.
    Export { session: SessionId, what: Exported, cookie: u64 } -> ();
}

calls! {
    /// Looking at the machine.
    ReportRequest in Report:
    Machine {} -> MachineDescription;
    Memory { device: DeviceIndex } -> MemoryInfo;
    Processes { device: DeviceIndex } -> Vec<ProcessMemory>;
    GetUtilization { device: DeviceIndex } -> Utilization;
    Samples { device: DeviceIndex, since: Nanos } -> Vec<Sample>;
    ProcessSamples { device: DeviceIndex, since: Nanos } -> Vec<ProcessSample>;
    GetCondition { device: DeviceIndex } -> Condition;
    Incidents { after: u64 } -> Vec<Incident>;
}

calls! {
    /// Contexts and memory.
    MemoryRequest in Memory:
    CreateContext { device: DeviceIndex } -> Context;
    DestroyContext { context: ContextId } -> ();
    Allocate { context: ContextId, request: AllocationRequest } -> Placement;
    Free { allocation: AllocationId } -> Freed;
    Migrate { allocation: AllocationId, offset: Bytes, bytes: Bytes, to: Location } -> ();
}

calls! {
    /// Stream-ordered memory.
    PoolRequest in Pool:
    CreatePool { device: DeviceIndex, most: Option<Bytes> } -> PoolId;
    DestroyPool { pool: PoolId } -> ();
    AllocateFromPool { pool: PoolId, stream: StreamId, bytes: Bytes } -> PoolPlacement;
    FreeInStream { allocation: AllocationId, stream: StreamId } -> ();
    ReadPool { pool: PoolId } -> PoolState;
    SetThreshold { pool: PoolId, bytes: Bytes } -> ();
    ResetPeaks { pool: PoolId, reserved: bool, used: bool } -> ();
    TrimPool { pool: PoolId, keep: Bytes } -> ();
}

calls! {
    /// Memory of graphs.
    GraphRequest in Graph:
    OpenGraph { device: DeviceIndex, need: Bytes } -> GraphExecId;
    CloseGraph { graph: GraphExecId } -> ();
    MapGraph { graph: GraphExecId, stream: StreamId } -> ();
    KeepOfGraph { device: DeviceIndex, stream: StreamId, bytes: Bytes } -> ();
    FreeOfGraph { device: DeviceIndex, stream: Option<StreamId>, bytes: Bytes } -> ();
    ReadGraphMemory { device: DeviceIndex } -> GraphMemory;
    ResetGraphPeaks { device: DeviceIndex, reserved: bool, used: bool } -> ();
    TrimGraphs { device: DeviceIndex } -> ();
}

calls! {
    /// Physical memory that several processes may hold.
    PhysicalRequest in Physical:
    CreatePiece { device: Option<DeviceIndex>, bytes: Bytes } -> PieceState;
    DropPiece { piece: PieceId } -> ();
    ImportPiece { cookie: u64 } -> PieceState;
    ImportPool { cookie: u64 } -> (PoolId, DeviceIndex);
    NamePiece { allocation: AllocationId } -> (PieceState, Bytes);
    OpenPiece { piece: PieceId } -> PieceState;
    /// The answer comes with the descriptor of the store.
    OpenStore {} -> ();
}

calls! {
    /// Streams, events and work.
    WorkRequest in Work:
    CreateStream { context: ContextId, kind: StreamKind } -> StreamId;
    DestroyStream { stream: StreamId } -> ();
    CreateEvent { context: ContextId, flags: EventFlags } -> EventId;
    OpenEvent { event: EventId } -> ();
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
}

calls! {
    /// Judging the machine and interfering with it.
    ObserverRequest in Observe:
    ReadTruth {} -> Truth;
    Inject { injection: Injection } -> ();
    Freeze { utilization: Option<Utilization> } -> ();
    Disturb { disturbance: Disturbance } -> ();
}
