//! Connections that are descriptors of memory.
//!
//! A real driver hands out a file whose last close it sees, wherever the file has been passed to. Here that file is a
//! connection: every process that has a copy of it keeps it open, and when nobody does, the other end is told.

use sim_model::Refusal;

use super::answer::{now, refuse};
use super::events::{ConnectionId, Source};
use super::{Closed, Server};
use crate::peer::peer;
use crate::protocol::Export;

impl Server {
    /// Makes a connection a descriptor of what the session of its process holds.
    pub(super) fn export(&mut self, id: ConnectionId, export: &Export) -> Result<(), Closed> {
        let connection = self.connections.get_mut(&id).ok_or(Closed)?;
        if connection.session.is_some() || connection.exported.is_some() {
            return Err(Closed);
        }
        let pid = peer(&*connection).map_err(|_| Closed)?.pid;
        let session = self.sessions.get(&export.session).filter(|session| Some(session.pid) == pid);
        let process = session.and_then(|session| session.asker.process).ok_or(Refusal::NotPermitted);
        let done = process.and_then(|process| self.desk.export(process, export.what, export.cookie));
        if let Err(refusal) = done {
            return connection.send(&refuse(refusal)?);
        }
        connection.exported = Some(export.cookie);
        // With the deaths, so that whoever asks after the last close sees what it did.
        self.events.remove(&*connection).map_err(|_| Closed)?;
        self.deaths.add(&*connection, Source::Connection(id)).map_err(|_| Closed)?;
        connection.send(&now::<Export>(Ok(()))?)
    }
}
