//! Finding the machine.

use std::fmt;
use std::path::Path;
use std::thread::sleep;
use std::time::Duration;

use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType, connect, socket_with};
use rustix::process::geteuid;
use sim_model::Refusal;

use super::ConnectOptions;
use super::start::start;
use super::wire::{Broken, Wire};
use crate::peer::peer;
use crate::place::Place;
use crate::protocol::{Hello, Request, SessionId, VERSION};

/// How often a machine may go away just when it was found.
const ATTEMPTS: u32 = 10;

/// Why there is no connection, in one line that names the path or the value and the fix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConnectError(String);

impl fmt::Display for ConnectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ConnectError {}

/// Why a machine that was found does not take this client.
enum Unwelcome {
    /// It went away.
    Gone,
    /// It said no.
    Refused,
}

impl From<Broken> for Unwelcome {
    fn from(_: Broken) -> Self {
        Self::Gone
    }
}

/// The options with a socket that does not depend on the working directory, which an application may change.
pub(super) fn locate(options: &ConnectOptions) -> Result<ConnectOptions, ConnectError> {
    let place = if options.program.is_some() { Place::made } else { Place::existing };
    let socket = place(&options.socket).map_err(ConnectError)?.socket;
    Ok(ConnectOptions { socket, ..options.clone() })
}

/// Opens the first connection of a client.
pub(super) fn open(options: &ConnectOptions) -> Result<(Wire, SessionId), ConnectError> {
    let shown = options.socket.display();
    for _ in 0..ATTEMPTS {
        match dial(&options.socket) {
            Ok(wire) => match greet(wire, options, None) {
                Ok(welcome) => return Ok(welcome),
                Err(Unwelcome::Gone) => sleep(Duration::from_millis(5)),
                Err(Unwelcome::Refused) => return Err(ConnectError(format!("socket {shown}: {REFUSED}"))),
            },
            Err(Errno::NOENT | Errno::CONNREFUSED) => match &options.program {
                Some(program) => start(options, program).map_err(ConnectError)?,
                None => return Err(ConnectError(format!("socket {shown}: no simulated machine runs there"))),
            },
            Err(error) => return Err(ConnectError(format!("socket {shown}: {error}"))),
        }
    }
    Err(ConnectError(format!(
        "socket {shown}: the simulated machine ends as soon as it starts: see {shown}.log"
    )))
}

const REFUSED: &str = "the simulated machine there is of another build, or sees this process in no PID namespace of its \
    own: end it, or set VGPU_SIM_SOCKET";

/// Opens one more connection of a client; `None` when the machine or the session is gone.
pub(super) fn join(options: &ConnectOptions, session: SessionId) -> Option<Wire> {
    let wire = dial(&options.socket).ok()?;
    greet(wire, options, Some(session)).ok().map(|(wire, _)| wire)
}

/// Connects to a socket of this user or of root.
pub(super) fn dial(socket: &Path) -> Result<Wire, Errno> {
    let address = SocketAddrUnix::new(socket)?;
    let fd = socket_with(AddressFamily::UNIX, SocketType::STREAM, SocketFlags::CLOEXEC, None)?;
    while let Err(error) = connect(&fd, &address) {
        if error != Errno::INTR {
            return Err(error);
        }
    }
    let owner = peer(&fd).map_err(|_| Errno::PERM)?.uid;
    if owner == geteuid().as_raw() || owner == 0 { Ok(Wire::new(fd)) } else { Err(Errno::PERM) }
}

fn greet(
    mut wire: Wire,
    options: &ConnectOptions,
    session: Option<SessionId>,
) -> Result<(Wire, SessionId), Unwelcome> {
    let hello = Request::from(Hello { version: VERSION, kind: options.kind, session });
    let answer: Result<SessionId, Refusal> = wire.ask(&hello)?;
    answer.map(|session| (wire, session)).map_err(|_| Unwelcome::Refused)
}
