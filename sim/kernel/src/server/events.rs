//! What the process sleeps on.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::event::epoll::{self, CreateFlags, Event, EventData, EventFlags};
use rustix::io::Errno;
use rustix::time::Timespec;
use sim_model::Nanos;

use super::connection::Connection;
use crate::protocol::SessionId;

/// Names a connection, and never another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ConnectionId(pub(super) u64);

/// Why the process woke up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// Somebody connects.
    Listener,
    /// Somebody sent something, went away, or has room for an answer.
    Connection(ConnectionId),
    /// The process of a session is dead.
    Death(SessionId),
    /// Some processes are dead; which ones, another set of events tells.
    Deaths,
}

/// An epoll instance.
#[derive(Debug)]
pub(super) struct Events(OwnedFd);

impl AsFd for Events {
    /// Readable when something has happened, so that one set can be watched by another.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

/// Events fetched in one call.
const BATCH: usize = 64;

impl Source {
    fn encode(self) -> EventData {
        EventData::new_u64(match self {
            Self::Listener => 0,
            Self::Connection(ConnectionId(id)) => id << 2 | 1,
            Self::Death(SessionId(id)) => id << 2 | 2,
            Self::Deaths => 3,
        })
    }

    fn decode(data: EventData) -> Self {
        let value = data.u64();
        match value & 3 {
            1 => Self::Connection(ConnectionId(value >> 2)),
            2 => Self::Death(SessionId(value >> 2)),
            3 => Self::Deaths,
            _ => Self::Listener,
        }
    }
}

impl Events {
    pub(super) fn new() -> io::Result<Self> {
        Ok(Self(epoll::create(CreateFlags::CLOEXEC)?))
    }

    /// Watches a descriptor, until it is closed, for something to read.
    pub(super) fn add(&self, fd: impl AsFd, source: Source) -> io::Result<()> {
        Ok(epoll::add(&self.0, fd, source.encode(), EventFlags::IN)?)
    }

    /// Watches a descriptor no longer.
    pub(super) fn remove(&self, fd: impl AsFd) -> io::Result<()> {
        Ok(epoll::delete(&self.0, fd)?)
    }

    /// Watches a connection for room to send as well, as long as it has something to send.
    pub(super) fn watch(&self, connection: &mut Connection, id: ConnectionId) -> io::Result<()> {
        let pending = connection.has_unsent();
        if connection.watched_for_room != pending {
            let flags = if pending { EventFlags::IN | EventFlags::OUT } else { EventFlags::IN };
            epoll::modify(&self.0, &*connection, Source::Connection(id).encode(), flags)?;
            connection.watched_for_room = pending;
        }
        Ok(())
    }

    /// Sleeps until something happens, for at most so long.
    pub(super) fn wait(&self, pause: Option<Nanos>) -> io::Result<Vec<Source>> {
        let pause = pause.map(|Nanos(nanos)| Timespec {
            tv_sec: i64::try_from(nanos / 1_000_000_000).unwrap_or(i64::MAX),
            tv_nsec: i64::try_from(nanos % 1_000_000_000).unwrap_or(0),
        });
        let mut ready = Vec::<Event>::with_capacity(BATCH);
        match epoll::wait(&self.0, rustix::buffer::spare_capacity(&mut ready), pause.as_ref()) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        Ok(ready.iter().map(|event| Source::decode(event.data)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_survive_the_kernel() {
        let named = [Source::Connection(ConnectionId(7)), Source::Death(SessionId(7))];
        for source in named.into_iter().chain([Source::Listener, Source::Deaths]) {
            assert_eq!(Source::decode(source.encode()), source);
        }
    }
}
