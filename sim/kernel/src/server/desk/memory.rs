//! Contexts and memory.

use sim_model::ProcessId;

use super::super::answer::now;
use super::Desk;
use crate::protocol::frame::Malformed;
use crate::protocol::{Allocate, CreateContext, DestroyContext, Free, MemoryRequest, Migrate, Subject};

impl Desk {
    pub(super) fn memory(
        &mut self,
        process: ProcessId,
        request: MemoryRequest,
    ) -> Result<Vec<u8>, Malformed> {
        match request {
            MemoryRequest::CreateContext(call) => {
                let fine = self.interfere(Subject::CreateContext);
                now::<CreateContext>(fine.and_then(|()| self.machine.create_context(process, call.device)))
            }
            MemoryRequest::DestroyContext(call) => {
                now::<DestroyContext>(self.machine.destroy_context(process, call.context))
            }
            MemoryRequest::Allocate(call) => {
                let fine = self.interfere(Subject::Allocate);
                now::<Allocate>(
                    fine.and_then(|()| self.machine.allocate(process, call.context, call.request)),
                )
            }
            MemoryRequest::Free(call) => now::<Free>(self.machine.free(process, call.allocation)),
            MemoryRequest::Migrate(call) => {
                let range = (call.offset, call.bytes);
                now::<Migrate>(self.machine.migrate(process, call.allocation, range, call.to))
            }
        }
    }
}
