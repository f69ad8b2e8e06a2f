//! Who is at the other end of a connection, as the kernel says.

use std::io;
use std::os::fd::{AsFd, AsRawFd};

/// The process that connected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Peer {
    /// Its pid in this process's namespace; none when it is outside of it.
    pub(crate) pid: Option<u32>,
    /// Its effective user.
    pub(crate) uid: u32,
}

/// Asks the kernel who connected.
///
/// Not by `rustix`, whose `Pid` cannot be 0, which is what the kernel says of a process of another PID namespace.
pub(crate) fn peer(socket: impl AsFd) -> io::Result<Peer> {
    let mut found = libc::ucred { pid: 0, uid: 0, gid: 0 };
    let mut length = libc::socklen_t::try_from(size_of_val(&found)).unwrap_or(0);
    let fd = socket.as_fd().as_raw_fd();
    // SAFETY: `found` is a plain structure of `length` bytes that outlives the call, and the kernel writes no more than
    // that into it.
    let result = unsafe {
        libc::getsockopt(fd, libc::SOL_SOCKET, libc::SO_PEERCRED, (&raw mut found).cast(), &raw mut length)
    };
    if result != 0 {
        return Err(io::Error::last_os_error());
    }
    let pid = u32::try_from(found.pid).ok().filter(|pid| *pid != 0);
    Ok(Peer { pid, uid: found.uid })
}

#[cfg(test)]
mod tests {
    use std::os::unix::net::UnixStream;

    use super::*;

    #[test]
    fn the_peer_of_a_pair_is_this_process() {
        let (one, _two) = UnixStream::pair().expect("a socket pair");
        let peer = peer(&one).expect("a connected socket");
        assert_eq!(peer.pid, Some(std::process::id()));
    }
}
