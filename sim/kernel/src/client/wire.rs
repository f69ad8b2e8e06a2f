//! One connection: a request and its answer at a time.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::io::Errno;
use rustix::net::{RecvFlags, SendFlags, recv, send};
use serde::de::DeserializeOwned;

use crate::protocol::Request;
use crate::protocol::frame::{self, Assembler};

/// The other side is gone or does not speak the protocol.
#[derive(Debug)]
pub(super) struct Broken;

/// A connection on which no request is under way.
#[derive(Debug)]
pub(super) struct Wire(OwnedFd);

impl Wire {
    pub(super) fn new(fd: OwnedFd) -> Self {
        Self(fd)
    }

    pub(super) fn into_fd(self) -> OwnedFd {
        self.0
    }

    /// Sends a request and waits for the answer, however long that takes. Signals do not cut it short.
    pub(super) fn ask<T: DeserializeOwned>(&mut self, request: &Request) -> Result<T, Broken> {
        let message = frame::encode(request).map_err(|_| Broken)?;
        let mut rest = &message[..];
        while !rest.is_empty() {
            match send(&self.0, rest, SendFlags::NOSIGNAL) {
                Ok(sent) => rest = &rest[sent..],
                Err(Errno::INTR) => {}
                Err(_) => return Err(Broken),
            }
        }
        self.answer()
    }

    fn answer<T: DeserializeOwned>(&mut self) -> Result<T, Broken> {
        let mut assembler = Assembler::default();
        let mut buffer = [0; 4096];
        loop {
            match recv(&self.0, &mut buffer, RecvFlags::empty()) {
                Ok((_, 0)) => return Err(Broken),
                Ok((_, received)) => assembler.push(&buffer[..received]),
                Err(Errno::INTR) => continue,
                Err(_) => return Err(Broken),
            }
            if let Some(body) = assembler.next_body().map_err(|_| Broken)? {
                return frame::decode(&body).map_err(|_| Broken);
            }
        }
    }
}

impl AsFd for Wire {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}
