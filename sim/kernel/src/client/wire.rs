//! One connection: a request and its answer at a time.

use std::io::IoSliceMut;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::io::Errno;
use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendFlags, recv, recvmsg, send};
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
        self.send(request)?;
        self.answer(Assembler::default())
    }

    fn send(&mut self, request: &Request) -> Result<(), Broken> {
        let message = frame::encode(request).map_err(|_| Broken)?;
        let mut rest = &message[..];
        while !rest.is_empty() {
            match send(&self.0, rest, SendFlags::NOSIGNAL) {
                Ok(sent) => rest = &rest[sent..],
                Err(Errno::INTR) => {}
                Err(_) => return Err(Broken),
            }
        }
        Ok(())
    }

    /// Asks for something that comes with a descriptor, unless the answer is a refusal.
    pub(super) fn ask_with_file<T: DeserializeOwned>(
        &mut self,
        request: &Request,
    ) -> Result<(T, Option<OwnedFd>), Broken> {
        self.send(request)?;
        let mut buffer = [0; 4096];
        let (received, file) = self.receive_with_file(&mut buffer)?;
        let mut assembler = Assembler::default();
        assembler.push(buffer.get(..received).ok_or(Broken)?);
        Ok((self.answer(assembler)?, file))
    }

    fn receive_with_file(&self, buffer: &mut [u8]) -> Result<(usize, Option<OwnedFd>), Broken> {
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
        let mut control = RecvAncillaryBuffer::new(&mut space);
        let message = loop {
            let mut parts = [IoSliceMut::new(buffer)];
            match recvmsg(&self.0, &mut parts, &mut control, RecvFlags::CMSG_CLOEXEC) {
                Err(Errno::INTR) => {}
                other => break other.map_err(|_| Broken)?,
            }
        };
        let files = control.drain().filter_map(|part| match part {
            RecvAncillaryMessage::ScmRights(mut files) => files.next(),
            _ => None,
        });
        Ok((message.bytes, files.last()))
    }

    fn answer<T: DeserializeOwned>(&mut self, mut assembler: Assembler) -> Result<T, Broken> {
        let mut buffer = [0; 4096];
        loop {
            if let Some(body) = assembler.next_body().map_err(|_| Broken)? {
                return frame::decode(&body).map_err(|_| Broken);
            }
            match recv(&self.0, &mut buffer, RecvFlags::empty()) {
                Ok((_, 0)) => return Err(Broken),
                Ok((_, received)) => assembler.push(&buffer[..received]),
                Err(Errno::INTR) => {}
                Err(_) => return Err(Broken),
            }
        }
    }
}

impl AsFd for Wire {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}
