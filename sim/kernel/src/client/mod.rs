//! The client that lives in a driver library, that is, in other people's processes.
//!
//! It owns close-on-exec descriptors and nothing else of the process: no thread, no signal handler, no lock, no
//! environment variable, no output.

mod calls;
mod connect;
mod graphs;
mod options;
mod physical;
mod pool;
mod start;
mod wire;

use std::fmt;

use rustix::process::{Pid, getpid};
use sim_model::Refusal;

use crate::protocol::{Call, Request, SessionId};
use pool::Pool;
use wire::Wire;

pub use connect::ConnectError;
pub use options::ConnectOptions;
pub(crate) use options::default_socket;

/// Why a call did not succeed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The machine said no.
    Refused(Refusal),
    /// The kernel process is gone, or this process is a forked child of the one that connected.
    Disconnected,
}

impl From<Refusal> for Fault {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(refusal) => refusal.fmt(f),
            Self::Disconnected => f.write_str("the simulated machine is gone"),
        }
    }
}

impl std::error::Error for Fault {}

/// One user of the machine: what it holds lives until the client is dropped or its process dies.
///
/// Every method may be called from any thread. A call that waits holds back no other thread: each call in flight has a
/// connection of its own, taken from a pool and given back.
///
/// **After fork** the child must not use it: every call in the child answers [`Fault::Disconnected`]. Dropping it in
/// the child closes the child's descriptors and takes nothing from the parent.
#[derive(Debug)]
pub struct Client {
    options: ConnectOptions,
    session: SessionId,
    owner: Pid,
    idle: Pool,
}

impl Client {
    /// Connects to the machine at `options.socket`, and starts it when it is not running and `options.program` says
    /// how. Takes milliseconds then, at most a few seconds.
    ///
    /// # Errors
    /// Says in one line what is wrong and with which path or value.
    pub fn connect(options: &ConnectOptions) -> Result<Self, ConnectError> {
        let options = connect::locate(options)?;
        let (wire, session) = connect::open(&options)?;
        let idle = Pool::default();
        idle.put(wire);
        Ok(Self { options, session, owner: getpid(), idle })
    }

    fn call<C: Call>(&self, call: C) -> Result<C::Reply, Fault> {
        if getpid() != self.owner {
            return Err(Fault::Disconnected);
        }
        let mut wire = self.wire()?;
        let request: Request = call.into();
        let answer: Result<C::Reply, Refusal> = wire.ask(&request).map_err(|_| Fault::Disconnected)?;
        self.idle.put(wire);
        answer.map_err(Fault::Refused)
    }

    /// A connection that nobody else uses.
    fn wire(&self) -> Result<Wire, Fault> {
        let idle = self.idle.take();
        idle.or_else(|| connect::join(&self.options, self.session)).ok_or(Fault::Disconnected)
    }
}
