//! Memory of graphs.

use sim_model::ProcessId;

use super::super::answer::now;
use super::Desk;
use crate::protocol::frame::Malformed;
use crate::protocol::{
    CloseGraph, FreeOfGraph, GraphRequest, KeepOfGraph, MapGraph, OpenGraph, ReadGraphMemory,
    ResetGraphPeaks, Subject, TrimGraphs,
};

impl Desk {
    pub(super) fn graphs(&mut self, process: ProcessId, request: GraphRequest) -> Result<Vec<u8>, Malformed> {
        let machine = &mut self.machine;
        match request {
            GraphRequest::OpenGraph(call) => {
                now::<OpenGraph>(machine.open_graph(process, call.device, call.need))
            }
            GraphRequest::CloseGraph(call) => now::<CloseGraph>(machine.close_graph(process, call.graph)),
            GraphRequest::MapGraph(call) => {
                let fine = self.interfere(Subject::Allocate);
                now::<MapGraph>(fine.and_then(|()| self.machine.map_graph(process, call.graph, call.stream)))
            }
            GraphRequest::KeepOfGraph(call) => {
                machine.keep_of_graph(process, call.device, call.stream, call.bytes);
                now::<KeepOfGraph>(Ok(()))
            }
            GraphRequest::FreeOfGraph(call) => {
                now::<FreeOfGraph>(machine.free_of_graph(process, call.device, call.stream, call.bytes))
            }
            GraphRequest::ReadGraphMemory(call) => {
                now::<ReadGraphMemory>(machine.graph_memory(process, call.device))
            }
            GraphRequest::ResetGraphPeaks(call) => {
                let which = (call.reserved, call.used);
                now::<ResetGraphPeaks>(machine.reset_graph_peaks(process, call.device, which))
            }
            GraphRequest::TrimGraphs(call) => now::<TrimGraphs>(machine.trim_graphs(process, call.device)),
        }
    }
}
