//! Stream-ordered memory.

use sim_model::ProcessId;

use super::super::answer::now;
use super::Desk;
use crate::protocol::frame::Malformed;
use crate::protocol::{
    AllocateFromPool, CreatePool, DestroyPool, FreeInStream, PoolRequest, ReadPool, ResetPeaks, SetThreshold,
    Subject, TrimPool,
};

impl Desk {
    pub(super) fn pools(&mut self, process: ProcessId, request: PoolRequest) -> Result<Vec<u8>, Malformed> {
        match request {
            PoolRequest::AllocateFromPool(call) => {
                let fine = self.interfere(Subject::Allocate);
                now::<AllocateFromPool>(fine.and_then(|()| {
                    self.machine.allocate_from_pool(process, call.pool, call.stream, call.bytes)
                }))
            }
            PoolRequest::FreeInStream(call) => {
                now::<FreeInStream>(self.machine.free_in_stream(process, call.allocation, call.stream))
            }
            PoolRequest::CreatePool(call) => {
                now::<CreatePool>(self.machine.create_pool(process, call.device, call.most))
            }
            PoolRequest::DestroyPool(call) => {
                now::<DestroyPool>(self.machine.destroy_pool(process, call.pool))
            }
            PoolRequest::ReadPool(call) => now::<ReadPool>(self.machine.pool(process, call.pool)),
            PoolRequest::SetThreshold(call) => {
                now::<SetThreshold>(self.machine.set_threshold(process, call.pool, call.bytes))
            }
            PoolRequest::ResetPeaks(call) => {
                let which = (call.reserved, call.used);
                now::<ResetPeaks>(self.machine.reset_peaks(process, call.pool, which))
            }
            PoolRequest::TrimPool(call) => {
                now::<TrimPool>(self.machine.trim_pool(process, call.pool, call.keep))
            }
        }
    }
}
