//! Requests of NVML while it hangs: read, and answered when that is over.

use sim_model::Nanos;

use super::events::ConnectionId;
use super::{Closed, Server, clock};
use crate::protocol::{Kind, Request};

impl Server {
    /// Whether a request is not to be answered now.
    pub(super) fn is_stalled(&self, kind: Kind) -> bool {
        kind == Kind::Nvml && clock() < self.desk.hangs_until
    }

    /// Keeps a request for later.
    pub(super) fn stall(&mut self, id: ConnectionId, request: Request) -> Result<(), Closed> {
        self.connections.get_mut(&id).ok_or(Closed)?.waiting = true;
        self.stalled.push((id, request));
        Ok(())
    }

    /// When there is something to answer.
    pub(super) fn stall_ends(&self) -> Option<Nanos> {
        (!self.stalled.is_empty()).then_some(self.desk.hangs_until)
    }

    /// Answers what was kept, once NVML does not hang any more.
    pub(super) fn serve_stalled(&mut self) {
        if clock() < self.desk.hangs_until {
            return;
        }
        for (id, request) in std::mem::take(&mut self.stalled) {
            // It may have gone away meanwhile.
            let is_there = self.connections.contains_key(&id);
            if is_there && self.respond(id, request).and_then(|()| self.watch(id)).is_err() {
                self.close(id);
            }
        }
    }
}
