//! The machine as one thing: users, their contexts, memory and work.

mod graphs;
mod physical;
mod pools;
mod report;
mod work;

use std::collections::{BTreeMap, BTreeSet};

use crate::memory::Memory;
use crate::timeline::Timeline;
use crate::{
    AllocationId, AllocationRequest, Bytes, ConfigError, Context, ContextId, DeviceDescription, DeviceIndex,
    Freed, Location, MachineConfig, MemoryInfo, Nanos, Placement, ProcessId, Refusal,
};

/// A simulated machine. It never looks at a clock: [`Machine::advance`] tells it the time.
///
/// Every request names the process that makes it; what is another process's answers as if it did not exist.
#[derive(Clone, Debug)]
pub struct Machine {
    devices: Vec<DeviceDescription>,
    processes: BTreeMap<ProcessId, Process>,
    contexts: BTreeMap<ContextId, ProcessId>,
    memory: Memory,
    timeline: Timeline,
    last_process: u64,
    last_context: u64,
}

/// One user of the machine.
#[derive(Clone, Debug)]
struct Process {
    pid: u32,
    contexts: BTreeSet<ContextId>,
}

impl Machine {
    /// A machine as described, whose time is `now`.
    ///
    /// # Errors
    /// What is wrong with the description.
    pub fn new(config: &MachineConfig, now: Nanos) -> Result<Self, ConfigError> {
        let devices = config.describe()?;
        let (memory, timeline) = (Memory::new(&devices), Timeline::new(&devices, now));
        let (processes, contexts) = (BTreeMap::new(), BTreeMap::new());
        Ok(Self { devices, processes, contexts, memory, timeline, last_process: 0, last_context: 0 })
    }

    /// The devices, by index.
    #[must_use]
    pub fn devices(&self) -> &[DeviceDescription] {
        &self.devices
    }

    /// The instant up to which everything has happened.
    #[must_use]
    pub fn now(&self) -> Nanos {
        self.timeline.now()
    }

    /// Lets everything happen that happens until `to`. An instant in the past changes nothing.
    pub fn advance(&mut self, to: Nanos) {
        self.timeline.advance(to);
        let timeline = &self.timeline;
        self.memory.settle_pools(|wait| timeline.is_complete(wait));
    }

    /// The next instant at which something completes or a device changes hands; none while nothing runs.
    #[must_use]
    pub fn next_event(&self) -> Option<Nanos> {
        self.timeline.next_event()
    }

    /// A process begins to use the machine. One host process may do so several times.
    pub fn attach(&mut self, pid: u32) -> ProcessId {
        self.last_process += 1;
        let id = ProcessId(self.last_process);
        self.processes.insert(id, Process { pid, contexts: BTreeSet::new() });
        id
    }

    /// A process is gone: its contexts, memory and work are gone at once.
    pub fn detach(&mut self, process: ProcessId) {
        let Some(gone) = self.processes.remove(&process) else { return };
        for context in gone.contexts {
            self.close(context);
        }
        self.memory.close_pools(process);
        self.memory.close_graphs(process);
        self.memory.close_pieces(process);
        self.timeline.forget(process);
    }

    /// Creates a context, which takes its overhead from the device's memory.
    ///
    /// # Errors
    /// `InvalidDevice`, `OutOfMemory`.
    pub fn create_context(&mut self, process: ProcessId, device: DeviceIndex) -> Result<Context, Refusal> {
        let id = ContextId(self.last_context + 1);
        let owner = self.processes.get_mut(&process).ok_or(Refusal::NotPermitted)?;
        self.memory.open_context(id, process, device)?;
        self.last_context += 1;
        owner.contexts.insert(id);
        self.contexts.insert(id, process);
        Ok(Context { id, legacy_stream: self.timeline.open_context(id, process, device) })
    }

    /// Destroys a context with all its memory, streams, events and unfinished work.
    ///
    /// # Errors
    /// `InvalidContext`.
    pub fn destroy_context(&mut self, process: ProcessId, context: ContextId) -> Result<(), Refusal> {
        self.check_context(process, context)?;
        if let Some(owner) = self.processes.get_mut(&process) {
            owner.contexts.remove(&context);
        }
        self.close(context);
        Ok(())
    }

    /// Allocates on the device of a context.
    ///
    /// # Errors
    /// `InvalidContext`, `InvalidValue` for a size of zero, `OutOfMemory`.
    pub fn allocate(
        &mut self,
        process: ProcessId,
        context: ContextId,
        request: AllocationRequest,
    ) -> Result<Placement, Refusal> {
        self.check_context(process, context)?;
        self.memory.allocate(context, request)
    }

    /// Frees an allocation.
    ///
    /// # Errors
    /// `InvalidValue` for one that the process does not have.
    pub fn free(&mut self, process: ProcessId, allocation: AllocationId) -> Result<Freed, Refusal> {
        self.memory.free(process, allocation)
    }

    /// Brings `bytes` from `offset` of a managed allocation to a device, or back to the host. What finds no room on the
    /// device stays on the host.
    ///
    /// # Errors
    /// `InvalidValue` for an allocation that is not managed memory of the process or a range that is not inside of it,
    /// `InvalidDevice`.
    pub fn migrate(
        &mut self,
        process: ProcessId,
        allocation: AllocationId,
        (offset, bytes): (Bytes, Bytes),
        to: Location,
    ) -> Result<(), Refusal> {
        self.memory.migrate(process, allocation, (offset, bytes), to)
    }

    /// Memory of a device.
    ///
    /// # Errors
    /// `InvalidDevice`.
    pub fn memory(&self, device: DeviceIndex) -> Result<MemoryInfo, Refusal> {
        self.memory.info(device).ok_or(Refusal::InvalidDevice)
    }

    fn close(&mut self, context: ContextId) {
        self.contexts.remove(&context);
        self.timeline.close_context(context);
        self.memory.close_context(context);
    }

    fn check_context(&self, process: ProcessId, context: ContextId) -> Result<(), Refusal> {
        let owned = self.contexts.get(&context) == Some(&process);
        if owned { Ok(()) } else { Err(Refusal::InvalidContext) }
    }
}
