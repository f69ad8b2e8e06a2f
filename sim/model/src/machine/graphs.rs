//! Memory of graphs on the machine.

use super::Machine;
use crate::{Bytes, DeviceIndex, GraphExecId, GraphMemory, ProcessId, Refusal, StreamId};

impl Machine {
    /// A graph that needs so much of a device at a launch can be launched from now on. Takes nothing yet.
    ///
    /// # Errors
    /// `InvalidDevice`.
    pub fn open_graph(
        &mut self,
        process: ProcessId,
        device: DeviceIndex,
        need: Bytes,
    ) -> Result<GraphExecId, Refusal> {
        self.memory.open_graph(process, device, need)
    }

    /// The graph cannot be launched any more. Its memory stays for others until a trim.
    ///
    /// # Errors
    /// `InvalidHandle`.
    pub fn close_graph(&mut self, process: ProcessId, graph: GraphExecId) -> Result<(), Refusal> {
        self.memory.close_graph(process, graph)
    }

    /// Gives a graph the memory it needs to run in a stream.
    ///
    /// # Errors
    /// `InvalidHandle`, `OutOfMemory`.
    pub fn map_graph(
        &mut self,
        process: ProcessId,
        graph: GraphExecId,
        stream: StreamId,
    ) -> Result<(), Refusal> {
        self.timeline.wait_for_stream(process, stream)?;
        let timeline = &self.timeline;
        self.memory.map_graph(process, graph, stream, |stream| timeline.is_idle(process, stream))
    }

    /// So much of what a launch in a stream uses outlives it.
    pub fn keep_of_graph(&mut self, process: ProcessId, device: DeviceIndex, stream: StreamId, bytes: Bytes) {
        self.memory.keep_of_graph(process, device, stream, bytes);
    }

    /// Frees memory that outlived a launch, in a stream or for all.
    ///
    /// # Errors
    /// `InvalidValue` when not so much is kept.
    pub fn free_of_graph(
        &mut self,
        process: ProcessId,
        device: DeviceIndex,
        stream: Option<StreamId>,
        bytes: Bytes,
    ) -> Result<(), Refusal> {
        self.memory.free_of_graph(process, device, stream, bytes)
    }

    /// What a process has of a device for its graphs.
    ///
    /// # Errors
    /// `InvalidDevice`.
    pub fn graph_memory(&self, process: ProcessId, device: DeviceIndex) -> Result<GraphMemory, Refusal> {
        self.memory.graph_memory(process, device)
    }

    /// Begins the peaks of that anew: of what is reserved, of what is used.
    ///
    /// # Errors
    /// `InvalidDevice`.
    pub fn reset_graph_peaks(
        &mut self,
        process: ProcessId,
        device: DeviceIndex,
        which: (bool, bool),
    ) -> Result<(), Refusal> {
        self.memory.reset_graph_peaks(process, device, which)
    }

    /// Gives back to a device what no running graph uses and nobody has kept.
    ///
    /// # Errors
    /// `InvalidDevice`.
    pub fn trim_graphs(&mut self, process: ProcessId, device: DeviceIndex) -> Result<(), Refusal> {
        let timeline = &self.timeline;
        self.memory.trim_graphs(process, device, |stream| timeline.is_idle(process, stream))
    }
}
