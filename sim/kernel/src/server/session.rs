//! Users of the machine: who they are, and what ends with them.

use std::os::fd::OwnedFd;

use rustix::process::{Pid, PidfdFlags, geteuid, pidfd_open};
use sim_model::Refusal;

use super::answer::{Answer, now, refuse};
use super::desk::Asker;
use super::events::{ConnectionId, Source};
use super::waiter::Waiter;
use super::{Closed, Server, clock};
use crate::peer::peer;
use crate::protocol::{Hello, Kind, OpenRequest, Request, SessionId, VERSION};

/// One user: a library in a process, through all of its connections.
#[derive(Debug)]
pub(super) struct Session {
    asker: Asker,
    pid: u32,
    /// Tells its death even when a forked child keeps its connections open.
    _death: OwnedFd,
}

impl Server {
    /// Answers a request, or notes what its answer waits for.
    pub(super) fn respond(&mut self, id: ConnectionId, request: Request) -> Result<(), Closed> {
        if let Request::Open(OpenRequest::Hello(hello)) = request {
            return self.open(id, &hello);
        }
        let connection = self.connections.get_mut(&id).ok_or(Closed)?;
        let session = connection.session.and_then(|id| self.sessions.get(&id)).ok_or(Closed)?;
        self.desk.machine.advance(clock());
        match self.desk.answer(session.asker, request)? {
            Answer::Now(frame) => connection.send(&frame),
            Answer::When(condition) => {
                connection.waiting = true;
                let process = session.asker.process.ok_or(Closed)?;
                self.waiters.push(Waiter { connection: id, process, condition });
                Ok(())
            }
        }
    }

    /// Begins a session or joins one.
    fn open(&mut self, id: ConnectionId, hello: &Hello) -> Result<(), Closed> {
        let connection = self.connections.get(&id).ok_or(Closed)?;
        if connection.session.is_some() {
            return Err(Closed);
        }
        let peer = peer(connection).map_err(|_| Closed)?;
        let own = peer.uid == geteuid().as_raw() || peer.uid == 0;
        let session = match (peer.pid, hello.session) {
            (Some(pid), None) if own && hello.version == VERSION => self.begin(pid, hello.kind),
            (Some(pid), Some(session)) => {
                self.sessions.get(&session).filter(|of| of.pid == pid).map(|_| session)
            }
            _ => None,
        };
        let connection = self.connections.get_mut(&id).ok_or(Closed)?;
        connection.session = session;
        connection.send(&session.map_or_else(|| refuse(Refusal::NotPermitted), |id| now::<Hello>(Ok(id)))?)
    }

    fn begin(&mut self, pid: u32, kind: Kind) -> Option<SessionId> {
        let raw = Pid::from_raw(i32::try_from(pid).ok()?)?;
        let death = pidfd_open(raw, PidfdFlags::empty()).ok()?;
        self.last_session += 1;
        let id = SessionId(self.last_session);
        self.events.add(&death, Source::Death(id)).ok()?;
        let process = (kind == Kind::Cuda).then(|| self.desk.machine.attach(pid));
        self.sessions.insert(id, Session { asker: Asker { kind, process }, pid, _death: death });
        Some(id)
    }

    /// A user is gone: so is everything that it held, and its connections.
    pub(super) fn end(&mut self, id: SessionId) {
        let Some(session) = self.sessions.remove(&id) else { return };
        self.desk.machine.advance(clock());
        if let Some(process) = session.asker.process {
            self.desk.machine.detach(process);
        }
        let of_it = |of: Option<SessionId>| of == Some(id);
        let gone: Vec<_> =
            self.connections.iter().filter(|(_, of)| of_it(of.session)).map(|(id, _)| *id).collect();
        for connection in gone {
            self.close(connection);
        }
    }
}
