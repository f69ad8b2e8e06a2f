//! Physical memory that several processes may hold.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::net::sockopt::socket_cookie;
use rustix::process::getpid;
use sim_model::{AllocationId, Bytes, DeviceIndex, PieceId, PieceState, PoolId, Refusal};

use super::{Client, Fault, connect};
use crate::protocol::{
    CreatePiece, DropPiece, Export, Exported, ImportPiece, ImportPool, NamePiece, OpenPiece, OpenStore,
    Request,
};

impl Client {
    /// Creates a piece of a device, or of the host (`None`), and holds it. No context takes it along.
    pub fn create_piece(&self, device: Option<DeviceIndex>, bytes: Bytes) -> Result<PieceState, Fault> {
        self.call(CreatePiece { device, bytes })
    }

    /// Holds a piece once less. It ends when nobody holds it and no descriptor of it is open anywhere.
    pub fn drop_piece(&self, piece: PieceId) -> Result<(), Fault> {
        self.call(DropPiece { piece })
    }

    /// A descriptor of a piece that this client holds, for any process to import; it is closed when something is executed.
    pub fn export_piece(&self, piece: PieceId) -> Result<OwnedFd, Fault> {
        self.export(Exported::Piece(piece))
    }

    /// A descriptor of a pool of this client, for any process to import. It does not keep the pool.
    pub fn export_pool(&self, pool: PoolId) -> Result<OwnedFd, Fault> {
        self.export(Exported::Pool(pool))
    }

    fn export(&self, what: Exported) -> Result<OwnedFd, Fault> {
        if getpid() != self.owner {
            return Err(Fault::Disconnected);
        }
        let mut wire = connect::dial(&self.options.socket).map_err(|_| Fault::Disconnected)?;
        let cookie = socket_cookie(wire.as_fd()).map_err(|_| Fault::Disconnected)?;
        let request = Request::from(Export { session: self.session, what, cookie });
        let answer: Result<(), Refusal> = wire.ask(&request).map_err(|_| Fault::Disconnected)?;
        answer.map(|()| wire.into_fd()).map_err(Fault::Refused)
    }

    /// Holds the piece that a descriptor names, wherever it comes from. `InvalidValue` for any other descriptor.
    pub fn import_piece(&self, descriptor: BorrowedFd<'_>) -> Result<PieceState, Fault> {
        let cookie = socket_cookie(descriptor).map_err(|_| Refusal::InvalidValue)?;
        self.call(ImportPiece { cookie })
    }

    /// The pool that a descriptor names, and its device. `InvalidValue` for any other descriptor, and for a pool that is gone.
    pub fn import_pool(&self, descriptor: BorrowedFd<'_>) -> Result<(PoolId, DeviceIndex), Fault> {
        let cookie = socket_cookie(descriptor).map_err(|_| Refusal::InvalidValue)?;
        self.call(ImportPool { cookie })
    }

    /// Lets other processes hold the memory of an allocation of this one, by its name; says which piece that is, and where
    /// in it the allocation begins.
    pub fn name_piece(&self, allocation: AllocationId) -> Result<(PieceState, Bytes), Fault> {
        self.call(NamePiece { allocation })
    }

    /// Holds a piece that [`Client::name_piece`] named. `InvalidValue` for any other.
    pub fn open_piece(&self, piece: PieceId) -> Result<PieceState, Fault> {
        self.call(OpenPiece { piece })
    }

    /// The file in which the contents of pieces are.
    pub fn store(&self) -> Result<OwnedFd, Fault> {
        if getpid() != self.owner {
            return Err(Fault::Disconnected);
        }
        let mut wire = self.wire()?;
        let asked = wire.ask_with_file(&Request::from(OpenStore {}));
        let (answer, file): (Result<(), Refusal>, _) = asked.map_err(|_| Fault::Disconnected)?;
        self.idle.put(wire);
        answer.map_err(Fault::Refused)?;
        file.ok_or(Fault::Disconnected)
    }
}
