//! The calls, by subject. Ids of another process, and ids that are gone, answer as unknown ones.

use sim_model::{
    AllocationId, AllocationRequest, Bytes, Context, ContextId, DeviceIndex, EventFlags, EventId, Freed,
    HostCall, HostCallId, Location, MemoryInfo, Nanos, Operation, Placement, PoolId, PoolPlacement,
    PoolState, ProcessMemory, ProcessSample, Sample, StreamId, StreamKind, Truth, Utilization,
};

use super::{Client, Fault};
use crate::protocol::{
    Allocate, AllocateFromPool, Condition, CreateContext, CreateEvent, CreatePool, CreateStream,
    DestroyContext, DestroyEvent, DestroyPool, DestroyStream, Disturb, Disturbance, Elapsed, Enqueue,
    FinishHostCall, Free, FreeInStream, Freeze, GetCondition, GetUtilization, Incident, Incidents, Inject,
    Injection, Machine, MachineDescription, Memory, Migrate, NextHostCall, OpenEvent, ProcessSamples,
    Processes, QueryEvent, QueryStream, ReadPool, ReadTruth, ResetPeaks, Samples, SetThreshold,
    SynchronizeContext, SynchronizeEvent, SynchronizeStream, TrimPool,
};

/// The machine and its memory.
impl Client {
    /// The machine: it changes only when an observer lets a device come or go.
    pub fn machine(&self) -> Result<MachineDescription, Fault> {
        self.call(Machine {})
    }

    /// Memory of a device now.
    pub fn memory(&self, device: DeviceIndex) -> Result<MemoryInfo, Fault> {
        self.call(Memory { device })
    }

    /// Creates a context, which takes its overhead from the device's memory.
    pub fn create_context(&self, device: DeviceIndex) -> Result<Context, Fault> {
        self.call(CreateContext { device })
    }

    /// Destroys a context with all its memory, streams, events and unfinished work.
    pub fn destroy_context(&self, context: ContextId) -> Result<(), Fault> {
        self.call(DestroyContext { context })
    }

    /// Allocates on the context's device.
    pub fn allocate(&self, context: ContextId, request: AllocationRequest) -> Result<Placement, Fault> {
        self.call(Allocate { context, request })
    }

    /// Frees an allocation, whichever context it is of. Does not wait for work: the driver library synchronises first
    /// where its interface says so.
    pub fn free(&self, allocation: AllocationId) -> Result<Freed, Fault> {
        self.call(Free { allocation })
    }

    /// Brings a range of managed memory to a device, as a prefetch or a touch by a copy, a memset or a kernel does, or
    /// back to the host. Memory that finds no room on the device stays on the host: that is no error.
    pub fn migrate(
        &self,
        allocation: AllocationId,
        offset: Bytes,
        bytes: Bytes,
        to: Location,
    ) -> Result<(), Fault> {
        self.call(Migrate { allocation, offset, bytes, to })
    }
}

/// Stream-ordered memory.
impl Client {
    /// Creates a pool on a device, which reserves `most` bytes at most. No context takes it along.
    pub fn create_pool(&self, device: DeviceIndex, most: Option<Bytes>) -> Result<PoolId, Fault> {
        self.call(CreatePool { device, most })
    }

    /// Destroys a pool; its memory comes back when the last of its allocations is free.
    pub fn destroy_pool(&self, pool: PoolId) -> Result<(), Fault> {
        self.call(DestroyPool { pool })
    }

    /// Allocates from a pool for use in a stream: that stream can use again at once what it freed before.
    pub fn allocate_from_pool(
        &self,
        pool: PoolId,
        stream: StreamId,
        bytes: Bytes,
    ) -> Result<PoolPlacement, Fault> {
        self.call(AllocateFromPool { pool, stream, bytes })
    }

    /// Frees memory of a pool when the stream comes to it.
    pub fn free_in_stream(&self, allocation: AllocationId, stream: StreamId) -> Result<(), Fault> {
        self.call(FreeInStream { allocation, stream })
    }

    /// What a pool holds.
    pub fn pool(&self, pool: PoolId) -> Result<PoolState, Fault> {
        self.call(ReadPool { pool })
    }

    /// Says how many bytes a pool keeps at a synchronisation of this process.
    pub fn set_threshold(&self, pool: PoolId, bytes: Bytes) -> Result<(), Fault> {
        self.call(SetThreshold { pool, bytes })
    }

    /// Begins the peaks of a pool anew: of what is reserved, of what is used.
    pub fn reset_peaks(&self, pool: PoolId, reserved: bool, used: bool) -> Result<(), Fault> {
        self.call(ResetPeaks { pool, reserved, used })
    }

    /// Gives what a pool does not use back, as long as it keeps at least so many bytes.
    pub fn trim_pool(&self, pool: PoolId, keep: Bytes) -> Result<(), Fault> {
        self.call(TrimPool { pool, keep })
    }
}

/// Streams, events and work.
impl Client {
    /// Creates a stream.
    pub fn create_stream(&self, context: ContextId, kind: StreamKind) -> Result<StreamId, Fault> {
        self.call(CreateStream { context, kind })
    }

    /// Destroys a stream. What it holds is still done. The legacy default stream cannot be destroyed.
    pub fn destroy_stream(&self, stream: StreamId) -> Result<(), Fault> {
        self.call(DestroyStream { stream })
    }

    /// Appends an operation to a stream. Returns when it is queued: for a kernel, when the queue has room for it.
    ///
    /// A kernel that asks for no multiprocessors or for more than there are is an invalid value.
    pub fn enqueue(&self, stream: StreamId, operation: Operation) -> Result<(), Fault> {
        self.call(Enqueue { stream, operation })
    }

    /// Whether all work of the stream is done; if not, `NotReady`. Of the legacy default stream: that of all
    /// blocking streams as well.
    pub fn query_stream(&self, stream: StreamId) -> Result<(), Fault> {
        self.call(QueryStream { stream })
    }

    /// Waits until the work that the stream holds now is done, of the legacy default stream as for a query.
    pub fn synchronize_stream(&self, stream: StreamId) -> Result<(), Fault> {
        self.call(SynchronizeStream { stream })
    }

    /// Waits until all work that the context holds now is done.
    pub fn synchronize_context(&self, context: ContextId) -> Result<(), Fault> {
        self.call(SynchronizeContext { context })
    }

    /// Creates an event.
    pub fn create_event(&self, context: ContextId, flags: EventFlags) -> Result<EventId, Fault> {
        self.call(CreateEvent { context, flags })
    }

    /// Uses an event of another client, which keeps no time, as one of its own until it is destroyed here.
    pub fn open_event(&self, event: EventId) -> Result<(), Fault> {
        self.call(OpenEvent { event })
    }

    /// Destroys an event. Waits for it that were issued stay as they were.
    pub fn destroy_event(&self, event: EventId) -> Result<(), Fault> {
        self.call(DestroyEvent { event })
    }

    /// Whether the last record of the event is complete; if not, `NotReady`. An event never recorded is complete.
    pub fn query_event(&self, event: EventId) -> Result<(), Fault> {
        self.call(QueryEvent { event })
    }

    /// Waits until the last record of the event is complete.
    pub fn synchronize_event(&self, event: EventId) -> Result<(), Fault> {
        self.call(SynchronizeEvent { event })
    }

    /// Time from one completed record to another; zero when `end` is the earlier one. `NotReady` while either is
    /// under way, `InvalidHandle` when either was never recorded or keeps no time.
    pub fn elapsed(&self, start: EventId, end: EventId) -> Result<Nanos, Fault> {
        self.call(Elapsed { start, end })
    }

    /// Waits until a stream of this client comes to a host function. For a thread of the library that calls them.
    pub fn next_host_call(&self) -> Result<HostCall, Fault> {
        self.call(NextHostCall {})
    }

    /// Says that the host function returned; its stream goes on.
    pub fn finish_host_call(&self, call: HostCallId) -> Result<(), Fault> {
        self.call(FinishHostCall { call })
    }
}

/// What NVML tells.
impl Client {
    /// Processes that have a context on the device, by pid.
    pub fn processes(&self, device: DeviceIndex) -> Result<Vec<ProcessMemory>, Fault> {
        self.call(Processes { device })
    }

    /// Utilisation over the last complete sample window.
    pub fn utilization(&self, device: DeviceIndex) -> Result<Utilization, Fault> {
        self.call(GetUtilization { device })
    }

    /// Sample windows that ended after `since`, oldest first: as many as the ring of the device holds.
    pub fn samples(&self, device: DeviceIndex, since: Nanos) -> Result<Vec<Sample>, Fault> {
        self.call(Samples { device, since })
    }

    /// How a device is.
    pub fn condition(&self, device: DeviceIndex) -> Result<Condition, Fault> {
        self.call(GetCondition { device })
    }

    /// What devices have reported by themselves since the incident of this number, oldest first: the last 256.
    pub fn incidents(&self, after: u64) -> Result<Vec<Incident>, Fault> {
        self.call(Incidents { after })
    }

    /// Use by process over windows that ended after `since`, oldest first. A process that ended is not in it.
    pub fn process_samples(&self, device: DeviceIndex, since: Nanos) -> Result<Vec<ProcessSample>, Fault> {
        self.call(ProcessSamples { device, since })
    }
}

/// For tests and tools: connections of kind `Observer` only, others are answered `NotPermitted`.
impl Client {
    /// What really happened.
    pub fn truth(&self) -> Result<Truth, Fault> {
        self.call(ReadTruth {})
    }

    /// Lets one later request of any process fail.
    pub fn inject(&self, injection: Injection) -> Result<(), Fault> {
        self.call(Inject { injection })
    }

    /// Pins what [`Client::utilization`] and the samples tell, so that two runs print the same; `None` lets go.
    pub fn freeze(&self, utilization: Option<Utilization>) -> Result<(), Fault> {
        self.call(Freeze { utilization })
    }

    /// Lets something become of the machine or of a device of it.
    pub fn disturb(&self, disturbance: Disturbance) -> Result<(), Fault> {
        self.call(Disturb { disturbance })
    }
}
