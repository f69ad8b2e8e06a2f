//! Byte-range locks that belong to an open file description.
//!
//! Unlike a lock of the process (`F_SETLK`), such a lock is not lost when the process closes another descriptor of the same file,
//! and it means the same in every PID namespace. It ends with the description's last reference: a descriptor or a mapping.

use std::ops::Range;
use std::os::fd::{AsFd, AsRawFd};
use std::time::{Duration, Instant};

use rustix::io::{Errno, Result};

/// Locks `byte` for writing through the description of `file`; `false` when another description has it locked.
pub(crate) fn try_lock(file: impl AsFd, byte: u64) -> Result<bool> {
    match command(file, libc::F_OFD_SETLK, libc::F_WRLCK, byte..byte + 1) {
        Ok(_) => Ok(true),
        Err(Errno::AGAIN | Errno::ACCESS) => Ok(false),
        Err(error) => Err(error),
    }
}

/// [`try_lock`], tried again until it succeeds or `patience` is over.
pub(crate) fn lock_within(file: impl AsFd, byte: u64, patience: Duration) -> Result<bool> {
    let start = Instant::now();
    loop {
        if try_lock(file.as_fd(), byte)? {
            return Ok(true);
        }
        if start.elapsed() >= patience {
            return Ok(false);
        }
        std::thread::sleep(Duration::from_micros(50));
    }
}

/// Whether a description other than that of `file` has `byte` locked. `file` need not be writable.
pub(crate) fn is_locked(file: impl AsFd, byte: u64) -> Result<bool> {
    is_any_locked(file, byte..byte + 1)
}

/// Whether descriptions other than that of `file` have any of `bytes` locked. `file` need not be writable.
pub(crate) fn is_any_locked(file: impl AsFd, bytes: Range<u64>) -> Result<bool> {
    let conflict = command(file, libc::F_OFD_GETLK, libc::F_WRLCK, bytes)?;
    Ok(conflict != libc::F_UNLCK)
}

/// A lock that ends with this value, also while a forked child still has a copy of the descriptor.
pub(crate) struct Locked<F: AsFd> {
    file: F,
    byte: u64,
}

impl<F: AsFd> Locked<F> {
    /// [`try_lock`]
    pub(crate) fn now(file: F, byte: u64) -> Result<Option<Self>> {
        Ok(try_lock(file.as_fd(), byte)?.then_some(Self { file, byte }))
    }

    /// [`lock_within`]
    pub(crate) fn within(file: F, byte: u64, patience: Duration) -> Result<Option<Self>> {
        Ok(lock_within(file.as_fd(), byte, patience)?.then_some(Self { file, byte }))
    }
}

impl<F: AsFd> Drop for Locked<F> {
    fn drop(&mut self) {
        // Unlocking what is locked cannot fail; if it did, closing the description would end the lock.
        let _ = command(self.file.as_fd(), libc::F_OFD_SETLK, libc::F_UNLCK, self.byte..self.byte + 1);
    }
}

/// `fcntl(2)` about some bytes: the type of lock that the kernel leaves in the request.
fn command(
    file: impl AsFd,
    command: libc::c_int,
    kind: libc::c_int,
    bytes: Range<u64>,
) -> Result<libc::c_int> {
    let mut request = libc::flock {
        l_type: libc::c_short::try_from(kind).map_err(|_| Errno::INVAL)?,
        l_whence: libc::c_short::try_from(libc::SEEK_SET).map_err(|_| Errno::INVAL)?,
        l_start: libc::off_t::try_from(bytes.start).map_err(|_| Errno::OVERFLOW)?,
        l_len: libc::off_t::try_from(bytes.end - bytes.start).map_err(|_| Errno::OVERFLOW)?,
        // Must be 0 in commands about open file descriptions.
        l_pid: 0,
    };
    let request: *mut libc::flock = &raw mut request;
    // SAFETY: the descriptor is borrowed for the call, and `request` points to a live `flock`, which these commands read and write.
    let status = unsafe { libc::syscall(libc::SYS_fcntl, file.as_fd().as_raw_fd(), command, request) };
    if status == -1 {
        return Err(last_error());
    }
    // SAFETY: `request` still points to the live value above, which nobody else has access to.
    let answer = unsafe { (*request).l_type };
    Ok(libc::c_int::from(answer))
}

fn last_error() -> Errno {
    let error = std::io::Error::last_os_error();
    error.raw_os_error().map_or(Errno::IO, Errno::from_raw_os_error)
}
