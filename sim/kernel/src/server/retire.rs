//! The end of an idle machine, without a gap in which somebody could connect to nobody.

use std::fs::{self, File};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;
use sim_model::Nanos;

/// How a machine goes.
#[derive(Debug)]
pub(crate) struct Retirement {
    socket: PathBuf,
    /// The socket's device and inode: a path that somebody else took over is not ours to remove.
    identity: (u64, u64),
    /// Held by whoever starts or ends a machine at this path.
    lock: File,
    patience: Nanos,
}

impl Retirement {
    /// For the machine that listens at `socket` and stays for `patience` while nobody is connected.
    pub(crate) fn new(socket: &Path, lock: File, patience: Duration) -> io::Result<Self> {
        let patience = Nanos(u64::try_from(patience.as_nanos()).unwrap_or(u64::MAX));
        Ok(Self { socket: socket.to_owned(), identity: identity(socket)?, lock, patience })
    }

    pub(super) fn patience(&self) -> Nanos {
        self.patience
    }

    /// Keeps others from starting a machine; false when one of them is about to, and will find this one.
    pub(super) fn begin(&self) -> io::Result<bool> {
        match flock(&self.lock, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => Ok(true),
            Err(Errno::AGAIN | Errno::INTR) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// Somebody connected after all.
    pub(super) fn cancel(&self) -> io::Result<()> {
        Ok(flock(&self.lock, FlockOperation::Unlock)?)
    }

    /// Removes the socket. The lock is let go of when nobody can connect any more.
    pub(super) fn finish(self, listener: OwnedFd) -> io::Result<()> {
        if identity(&self.socket).is_ok_and(|found| found == self.identity) {
            fs::remove_file(&self.socket)?;
        }
        drop(listener);
        drop(self.lock);
        Ok(())
    }
}

fn identity(path: &Path) -> io::Result<(u64, u64)> {
    let metadata = fs::symlink_metadata(path)?;
    Ok((metadata.dev(), metadata.ino()))
}
