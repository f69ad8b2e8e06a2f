//! Users of the machine: who they are, and what ends with them.

use std::os::fd::OwnedFd;

use rustix::process::{Pid, PidfdFlags, geteuid, pidfd_open};
use sim_model::{Nanos, Refusal};

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
    pub(super) asker: Asker,
    pub(super) pid: u32,
    /// Tells its death even when a forked child keeps its connections open.
    _death: OwnedFd,
}

impl Server {
    /// Answers a request, or notes what its answer waits for.
    pub(super) fn respond(&mut self, id: ConnectionId, request: Request) -> Result<(), Closed> {
        self.bury();
        if let Request::Open(OpenRequest::Hello(hello)) = request {
            return self.open(id, &hello);
        }
        if let Request::Open(OpenRequest::Export(export)) = request {
            return self.export(id, &export);
        }
        let connection = self.connections.get(&id).ok_or(Closed)?;
        let session = connection.session.and_then(|id| self.sessions.get(&id)).ok_or(Closed)?;
        if self.is_stalled(session.asker.kind) {
            return self.stall(id, request);
        }
        let connection = self.connections.get_mut(&id).ok_or(Closed)?;
        self.desk.machine.advance(clock());
        match self.desk.answer(session.asker, request)? {
            Answer::Now(frame) => connection.send(&frame),
            Answer::With(frame, file) => connection.send_with(&frame, &file),
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
        self.deaths.add(&death, Source::Death(id)).ok()?;
        let process = (kind == Kind::Cuda).then(|| self.desk.machine.attach(pid));
        self.sessions.insert(id, Session { asker: Asker { kind, process }, pid, _death: death });
        Some(id)
    }

    /// Ends the sessions of all who have died up to now.
    ///
    /// A kernel driver takes memory back before anybody can see that its owner is gone. So that this one does too, the
    /// dead come before every request.
    pub(super) fn bury(&mut self) {
        while let Ok(dead) = self.deaths.wait(Some(Nanos(0)))
            && !dead.is_empty()
        {
            for source in dead {
                self.handle(source);
            }
        }
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

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::os::unix::net::{UnixListener, UnixStream};
    use std::time::Duration;

    use sim_model::MachineConfig;

    use super::super::Retirement;
    use super::*;

    fn server(name: &str) -> Server {
        let directory = std::env::temp_dir().join(format!("vgpu-sim-session-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&directory).expect("a temporary directory");
        let socket = directory.join("sock");
        let listener = UnixListener::bind(&socket).expect("a socket in a directory of our own");
        let lock = File::create(directory.join("lock")).expect("a file in it");
        let retirement = Retirement::new(&socket, lock, Duration::ZERO).expect("the socket");
        std::fs::remove_dir_all(&directory).expect("nobody looks for it");
        Server::new(&MachineConfig::default(), listener.into(), retirement).expect("the default machine")
    }

    /// Whether a connection of this process is taken, when it says this.
    fn is_welcome(server: &mut Server, hello: &Hello) -> bool {
        let (here, _there) = UnixStream::pair().expect("a socket pair");
        server.welcome(here.into());
        let id = ConnectionId(server.last_connection);
        server.open(id, hello).expect("an answer");
        server.connections[&id].session.is_some()
    }

    #[test]
    fn a_session_is_joined_by_its_own_process_only() {
        let mut server = server("join");
        let own = server.begin(std::process::id(), Kind::Cuda);
        let foreign = server.begin(1, Kind::Cuda);
        let join = |session| Hello { version: VERSION, kind: Kind::Cuda, session };
        assert!(is_welcome(&mut server, &join(own)));
        assert!(!is_welcome(&mut server, &join(foreign)));
        assert!(!is_welcome(&mut server, &join(Some(SessionId(99)))));
    }

    #[test]
    fn a_library_of_another_build_is_refused() {
        let mut server = server("version");
        let hello = |version| Hello { version, kind: Kind::Nvml, session: None };
        assert!(is_welcome(&mut server, &hello(VERSION)));
        assert!(!is_welcome(&mut server, &hello(VERSION + 1)));
    }
}
