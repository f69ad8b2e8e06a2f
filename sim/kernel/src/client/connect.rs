//! Finding the machine, and starting it when it is not running.

use std::fmt;

use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType, connect, socket_with};

use super::ConnectOptions;
use super::wire::{Broken, Wire};
use crate::protocol::{Hello, Request, SessionId, VERSION};
use sim_model::Refusal;

/// Why there is no connection, in one line that names the path or the value and the fix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConnectError(String);

impl fmt::Display for ConnectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ConnectError {}

/// Opens the first connection of a client.
pub(super) fn open(options: &ConnectOptions) -> Result<(Wire, SessionId), ConnectError> {
    let path = options.socket.display();
    let wire =
        dial(options).map_err(|error| ConnectError(format!("{path}: no simulated machine: {error}")))?;
    greet(wire, options, None).map_err(|_| ConnectError(format!("{path}: not a machine of this build")))
}

/// Opens one more connection of a client; `None` when the machine or the session is gone.
pub(super) fn join(options: &ConnectOptions, session: SessionId) -> Option<Wire> {
    greet(dial(options).ok()?, options, Some(session)).ok().map(|(wire, _)| wire)
}

fn dial(options: &ConnectOptions) -> rustix::io::Result<Wire> {
    let address = SocketAddrUnix::new(&options.socket)?;
    let fd = socket_with(AddressFamily::UNIX, SocketType::STREAM, SocketFlags::CLOEXEC, None)?;
    connect(&fd, &address)?;
    Ok(Wire::new(fd))
}

fn greet(
    mut wire: Wire,
    options: &ConnectOptions,
    session: Option<SessionId>,
) -> Result<(Wire, SessionId), Broken> {
    let hello = Request::from(Hello { version: VERSION, kind: options.kind, session });
    let answer: Result<SessionId, Refusal> = wire.ask(&hello)?;
    answer.map(|session| (wire, session)).map_err(|_| Broken)
}
