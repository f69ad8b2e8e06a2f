//! One connection of the server: never blocks, whatever the other side does.

use std::io::IoSlice;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::io::Errno;
use rustix::net::{RecvFlags, SendAncillaryBuffer, SendAncillaryMessage, SendFlags, recv, send, sendmsg};

use super::Closed;
use crate::protocol::frame::{self, Assembler};
use crate::protocol::{Request, SessionId};

/// A connection.
#[derive(Debug)]
pub(super) struct Connection {
    fd: OwnedFd,
    inbox: Assembler,
    outbox: Vec<u8>,
    /// Whose it is, once it said so.
    pub(super) session: Option<SessionId>,
    /// What the kernel calls its other end, if that is a descriptor of memory.
    pub(super) exported: Option<u64>,
    /// Whether its request is not answered yet. Another one before that breaks the protocol.
    pub(super) waiting: bool,
    /// Whether the process is told when there is room to send.
    pub(super) watched_for_room: bool,
}

impl Connection {
    pub(super) fn new(fd: OwnedFd) -> Self {
        let (inbox, outbox) = (Assembler::default(), Vec::new());
        Self { fd, inbox, outbox, session: None, exported: None, waiting: false, watched_for_room: false }
    }

    /// Takes in what came. More than one buffer of it is taken in the next time.
    pub(super) fn read(&mut self) -> Result<(), Closed> {
        let mut buffer = [0; 4096];
        match recv(&self.fd, &mut buffer, RecvFlags::DONTWAIT) {
            Ok((_, 0)) => Err(Closed),
            Ok((_, received)) => {
                self.inbox.push(&buffer[..received]);
                Ok(())
            }
            Err(Errno::AGAIN | Errno::INTR) => Ok(()),
            Err(_) => Err(Closed),
        }
    }

    /// The next request, when all of it is there.
    pub(super) fn next_request(&mut self) -> Result<Option<Request>, Closed> {
        match self.inbox.next_body()? {
            None => Ok(None),
            Some(_) if self.waiting => Err(Closed),
            Some(body) => Ok(Some(frame::decode(&body)?)),
        }
    }

    /// Sends a frame, now as far as there is room.
    pub(super) fn send(&mut self, frame: &[u8]) -> Result<(), Closed> {
        self.waiting = false;
        self.outbox.extend_from_slice(frame);
        self.flush()
    }

    /// Sends a frame and a descriptor, which comes with the first byte. Whoever asks for one has read all answers before.
    pub(super) fn send_with(&mut self, frame: &[u8], file: &OwnedFd) -> Result<(), Closed> {
        if self.has_unsent() {
            return Err(Closed);
        }
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
        let mut control = SendAncillaryBuffer::new(&mut space);
        let files = [file.as_fd()];
        control.push(SendAncillaryMessage::ScmRights(&files));
        let flags = SendFlags::NOSIGNAL | SendFlags::DONTWAIT;
        let sent = sendmsg(&self.fd, &[IoSlice::new(frame)], &mut control, flags).map_err(|_| Closed)?;
        self.send(frame.get(sent..).unwrap_or_default())
    }

    /// Sends what could not be sent before, as far as there is room.
    pub(super) fn flush(&mut self) -> Result<(), Closed> {
        while !self.outbox.is_empty() {
            match send(&self.fd, &self.outbox, SendFlags::NOSIGNAL | SendFlags::DONTWAIT) {
                Ok(sent) => drop(self.outbox.drain(..sent)),
                Err(Errno::AGAIN) => return Ok(()),
                Err(Errno::INTR) => {}
                Err(_) => return Err(Closed),
            }
        }
        Ok(())
    }

    pub(super) fn has_unsent(&self) -> bool {
        !self.outbox.is_empty()
    }
}

impl AsFd for Connection {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}
