//! Memory of graphs.

use sim_model::{Bytes, DeviceIndex, GraphExecId, GraphMemory, StreamId};

use super::{Client, Fault};
use crate::protocol::{
    CloseGraph, FreeOfGraph, KeepOfGraph, MapGraph, OpenGraph, ReadGraphMemory, ResetGraphPeaks, TrimGraphs,
};

impl Client {
    /// A graph that needs so much of a device at a launch can be launched from now on. Takes nothing yet.
    pub fn open_graph(&self, device: DeviceIndex, need: Bytes) -> Result<GraphExecId, Fault> {
        self.call(OpenGraph { device, need })
    }

    /// The graph cannot be launched any more. Its memory stays for others until a trim.
    pub fn close_graph(&self, graph: GraphExecId) -> Result<(), Fault> {
        self.call(CloseGraph { graph })
    }

    /// Gives a graph the memory it needs to run in a stream.
    pub fn map_graph(&self, graph: GraphExecId, stream: StreamId) -> Result<(), Fault> {
        self.call(MapGraph { graph, stream })
    }

    /// So much of what a launch in a stream uses outlives it.
    pub fn keep_of_graph(&self, device: DeviceIndex, stream: StreamId, bytes: Bytes) -> Result<(), Fault> {
        self.call(KeepOfGraph { device, stream, bytes })
    }

    /// Frees memory that outlived a launch, in a stream or for all.
    pub fn free_of_graph(
        &self,
        device: DeviceIndex,
        stream: Option<StreamId>,
        bytes: Bytes,
    ) -> Result<(), Fault> {
        self.call(FreeOfGraph { device, stream, bytes })
    }

    /// What this process has of a device for its graphs.
    pub fn graph_memory(&self, device: DeviceIndex) -> Result<GraphMemory, Fault> {
        self.call(ReadGraphMemory { device })
    }

    /// Begins the peaks of that anew: of what is reserved, of what is used.
    pub fn reset_graph_peaks(&self, device: DeviceIndex, reserved: bool, used: bool) -> Result<(), Fault> {
        self.call(ResetGraphPeaks { device, reserved, used })
    }

    /// Gives back to a device what no running graph uses and nobody has kept.
    pub fn trim_graphs(&self, device: DeviceIndex) -> Result<(), Fault> {
        self.call(TrimGraphs { device })
    }
}
