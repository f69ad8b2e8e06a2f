//! The kernel process at work: one thread, one loop, one machine.
//!
//! The machine is brought to the present before each request, so a request sees everything that happened until then.
//! Between requests the process sleeps until somebody asks, somebody dies, or work that somebody waits for can be
//! done: time passes on the machine without it.

mod answer;
mod connection;
mod desk;
mod events;
mod retire;
mod session;
mod share;
mod stall;
mod store;
mod waiter;

use std::collections::BTreeMap;
use std::io;
use std::os::fd::OwnedFd;
use std::time::Duration;

use rustix::io::Errno;
use rustix::net::{SocketFlags, accept_with};
use rustix::time::{ClockId, clock_gettime};
use sim_model::{ConfigError, MachineConfig, Nanos, Utilization};

use crate::protocol::frame::Malformed;
use crate::protocol::{Request, SessionId};
use connection::Connection;
use desk::Desk;
use events::{ConnectionId, Events, Source};
pub(crate) use retire::Retirement;
use session::Session;
use waiter::Waiter;

/// Nobody connected yet: whoever started the machine is about to, which takes seconds where many start at once.
const FIRST_CONNECTION: Nanos = Nanos::from_millis(60_000);

/// Somebody was about to connect: how long to wait for that at least.
const SECOND_THOUGHT: Nanos = Nanos::from_millis(20);

/// The kernel process.
pub(crate) struct Server {
    desk: Desk,
    listener: OwnedFd,
    events: Events,
    /// The processes of all sessions, for their deaths.
    deaths: Events,
    connections: BTreeMap<ConnectionId, Connection>,
    sessions: BTreeMap<SessionId, Session>,
    waiters: Vec<Waiter>,
    stalled: Vec<(ConnectionId, Request)>,
    retirement: Retirement,
    /// Since when nobody is connected, and how long that may last.
    idle: Option<(Nanos, Nanos)>,
    last_connection: u64,
    last_session: u64,
}

/// A connection that ended or broke the protocol.
#[derive(Debug)]
struct Closed;

impl From<Malformed> for Closed {
    fn from(_: Malformed) -> Self {
        Self
    }
}

impl Server {
    /// A machine as described that answers on a listening, non-blocking socket.
    pub(crate) fn new(config: &MachineConfig, listener: OwnedFd, retirement: Retirement) -> io::Result<Self> {
        let invalid = |error: ConfigError| io::Error::new(io::ErrorKind::InvalidInput, error);
        let desk = Desk::new(config, clock()).map_err(invalid)?;
        let events = Events::new()?;
        events.add(&listener, Source::Listener)?;
        let deaths = Events::new()?;
        events.add(&deaths, Source::Deaths)?;
        Ok(Self {
            desk,
            listener,
            events,
            deaths,
            connections: BTreeMap::new(),
            sessions: BTreeMap::new(),
            waiters: Vec::new(),
            stalled: Vec::new(),
            idle: Some((clock(), retirement.patience().max(FIRST_CONNECTION))),
            retirement,
            last_connection: 0,
            last_session: 0,
        })
    }

    /// The same, whose utilisation and samples tell this from the start; `None`: what they measure.
    pub(crate) fn frozen(mut self, utilization: Option<Utilization>) -> Self {
        self.desk.frozen = utilization;
        self
    }

    /// Serves until nobody needs the machine any more.
    pub(crate) fn run(mut self) -> io::Result<()> {
        loop {
            let now = clock();
            let idle = self.idle.map(|(since, patience)| since + patience);
            let wake = [self.next_wake(), self.stall_ends(), idle];
            let pause = wake.into_iter().flatten().min().map(|at| at.saturating_sub(now));
            for source in self.events.wait(pause)? {
                self.handle(source);
            }
            self.desk.machine.advance(clock());
            self.desk.clear_store();
            self.serve_waiters();
            self.serve_stalled();
            if self.is_long_idle() && self.is_unneeded()? {
                return self.retirement.finish(self.listener);
            }
        }
    }

    fn handle(&mut self, source: Source) {
        match source {
            Source::Listener => self.accept(),
            Source::Connection(id) => {
                if self.serve(id).is_err() {
                    self.close(id);
                }
            }
            Source::Death(session) => self.end(session),
            Source::Deaths => self.bury(),
        }
    }

    fn accept(&mut self) {
        loop {
            match accept_with(&self.listener, SocketFlags::CLOEXEC | SocketFlags::NONBLOCK) {
                Ok(fd) => self.welcome(fd),
                Err(Errno::INTR | Errno::CONNABORTED) => {}
                Err(Errno::MFILE | Errno::NFILE) => {
                    // Whoever waits goes on waiting until a descriptor is free; nothing tells when that is.
                    std::thread::sleep(Duration::from_millis(1));
                    return;
                }
                Err(_) => return,
            }
        }
    }

    fn welcome(&mut self, fd: OwnedFd) {
        self.last_connection += 1;
        let id = ConnectionId(self.last_connection);
        if self.events.add(&fd, Source::Connection(id)).is_ok() {
            self.connections.insert(id, Connection::new(fd));
            self.idle = None;
        }
    }

    /// Reads what came and answers what is complete.
    fn serve(&mut self, id: ConnectionId) -> Result<(), Closed> {
        let connection = self.connections.get_mut(&id).ok_or(Closed)?;
        connection.flush()?;
        connection.read()?;
        while let Some(connection) = self.connections.get_mut(&id)
            && let Some(request) = connection.next_request()?
        {
            self.respond(id, request)?;
        }
        self.watch(id)
    }

    /// Watches for room to send as long as there is something to send.
    fn watch(&mut self, id: ConnectionId) -> Result<(), Closed> {
        let connection = self.connections.get_mut(&id).ok_or(Closed)?;
        self.events.watch(connection, id).map_err(|_| Closed)
    }

    /// A connection is gone; with the last of a session everything that it held.
    fn close(&mut self, id: ConnectionId) {
        let Some(connection) = self.connections.remove(&id) else { return };
        self.waiters.retain(|waiter| waiter.connection != id);
        self.stalled.retain(|(connection, _)| *connection != id);
        if let Some(cookie) = connection.exported {
            self.desk.forget(cookie);
        }
        if let Some(session) = connection.session {
            let last = !self.connections.values().any(|other| other.session == Some(session));
            if last {
                self.end(session);
            }
        }
        if self.connections.is_empty() {
            self.idle = Some((clock(), self.retirement.patience()));
        }
    }

    /// Decides to go, with the lock held, so that nobody can be about to start a machine or to find this one.
    fn is_unneeded(&mut self) -> io::Result<bool> {
        let alone = self.retirement.begin()?;
        if alone {
            // Somebody may have connected while nobody looked.
            self.accept();
            if self.connections.is_empty() {
                return Ok(true);
            }
            self.retirement.cancel()?;
        }
        self.idle = self.idle.map(|(_, patience)| (clock(), patience.max(SECOND_THOUGHT)));
        Ok(false)
    }

    fn is_long_idle(&self) -> bool {
        self.idle.is_some_and(|(since, patience)| clock().saturating_sub(since) >= patience)
    }
}

/// The instant on the clock that the machine runs on.
fn clock() -> Nanos {
    let time = clock_gettime(ClockId::Monotonic);
    let whole = u64::try_from(time.tv_sec).unwrap_or(0).saturating_mul(1_000_000_000);
    Nanos(whole.saturating_add(u64::try_from(time.tv_nsec).unwrap_or(0)))
}
