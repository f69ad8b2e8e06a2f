//! Physical memory that several processes may hold.

use sim_model::{ProcessId, Refusal};

use super::super::answer::{Answer, now, refuse};
use super::Desk;
use crate::protocol::frame::Malformed;
use crate::protocol::{
    CreatePiece, DropPiece, Exported, ImportPiece, ImportPool, NamePiece, OpenPiece, OpenStore,
    PhysicalRequest, Subject,
};

impl Desk {
    pub(super) fn physical(
        &mut self,
        process: ProcessId,
        request: PhysicalRequest,
    ) -> Result<Answer, Malformed> {
        let frame = match request {
            PhysicalRequest::CreatePiece(call) => {
                let fine = self.interfere(Subject::Allocate);
                now::<CreatePiece>(
                    fine.and_then(|()| self.machine.create_piece(process, call.device, call.bytes)),
                )
            }
            PhysicalRequest::DropPiece(call) => {
                now::<DropPiece>(self.machine.drop_piece(process, call.piece))
            }
            PhysicalRequest::ImportPiece(call) => {
                now::<ImportPiece>(match self.descriptors.get(&call.cookie) {
                    Some(Exported::Piece(piece)) => self.machine.hold_piece(process, *piece, false),
                    _ => Err(Refusal::InvalidValue),
                })
            }
            PhysicalRequest::ImportPool(call) => {
                now::<ImportPool>(match self.descriptors.get(&call.cookie) {
                    Some(Exported::Pool(pool)) => {
                        self.machine.device_of_pool(*pool).map(|device| (*pool, device))
                    }
                    _ => Err(Refusal::InvalidValue),
                })
            }
            PhysicalRequest::NamePiece(call) => {
                now::<NamePiece>(self.machine.share(process, call.allocation))
            }
            PhysicalRequest::OpenPiece(call) => {
                now::<OpenPiece>(self.machine.hold_piece(process, call.piece, true))
            }
            PhysicalRequest::OpenStore(_) => return self.open_store(),
        };
        frame.map(Answer::Now)
    }

    /// Shows a process the file that the contents of physical memory are in.
    fn open_store(&mut self) -> Result<Answer, Malformed> {
        match self.store.descriptor() {
            Ok(store) => Ok(Answer::With(now::<OpenStore>(Ok(()))?, store)),
            Err(_) => refuse(Refusal::OutOfMemory).map(Answer::Now),
        }
    }

    /// A descriptor that the kernel calls `cookie` stands for what a process has from now on.
    pub(in crate::server) fn export(
        &mut self,
        process: ProcessId,
        what: Exported,
        cookie: u64,
    ) -> Result<(), Refusal> {
        if self.descriptors.contains_key(&cookie) {
            return Err(Refusal::InvalidValue);
        }
        match what {
            Exported::Piece(piece) => self.machine.add_descriptor(process, piece)?,
            Exported::Pool(pool) => drop(self.machine.pool(process, pool)?),
        }
        self.descriptors.insert(cookie, what);
        Ok(())
    }

    /// Nobody has that descriptor any more.
    pub(in crate::server) fn forget(&mut self, cookie: u64) {
        if let Some(Exported::Piece(piece)) = self.descriptors.remove(&cookie) {
            self.machine.drop_descriptor(piece);
        }
    }

    /// Empties the parts of the store that nobody needs any more.
    pub(in crate::server) fn clear_store(&mut self) {
        for range in self.machine.take_gone() {
            self.store.clear(range);
        }
    }
}
