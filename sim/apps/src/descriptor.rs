//! Passing descriptors to another process.

use std::io;
use std::mem::{MaybeUninit, size_of};
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::net::UnixStream;

/// What carries a descriptor: the header of a control message, and behind it the descriptor.
#[repr(C)]
struct Rights {
    header: libc::cmsghdr,
    descriptor: RawFd,
}

/// Bytes of it without what follows for the sake of alignment.
const LENGTH: usize = size_of::<libc::cmsghdr>() + size_of::<RawFd>();

impl Rights {
    const fn of(descriptor: RawFd) -> Self {
        let header =
            libc::cmsghdr { cmsg_len: LENGTH, cmsg_level: libc::SOL_SOCKET, cmsg_type: libc::SCM_RIGHTS };
        Self { header, descriptor }
    }
}

/// A message of one byte with a descriptor. The addresses in it are valid as long as the arguments.
fn message(part: &mut libc::iovec, rights: &mut Rights) -> libc::msghdr {
    // SAFETY: all zeros are an empty message.
    let mut message: libc::msghdr = unsafe { MaybeUninit::zeroed().assume_init() };
    message.msg_iov = part;
    message.msg_iovlen = 1;
    message.msg_control = std::ptr::from_mut(rights).cast();
    message.msg_controllen = LENGTH;
    message
}

/// Passes a descriptor to the other end.
///
/// # Errors
/// What the system answers.
pub fn send(stream: &UnixStream, descriptor: RawFd) -> io::Result<()> {
    let (mut byte, mut rights) = ([0_u8], Rights::of(descriptor));
    let mut part = libc::iovec { iov_base: byte.as_mut_ptr().cast(), iov_len: 1 };
    let message = message(&mut part, &mut rights);
    // SAFETY: a whole message, whose parts live until the call is over.
    let sent = unsafe { libc::sendmsg(stream.as_raw_fd(), &raw const message, libc::MSG_NOSIGNAL) };
    if sent == 1 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Takes a descriptor that the other end passes; it is closed when something is executed.
///
/// # Errors
/// What the system answers, or that no descriptor came.
pub fn receive(stream: &UnixStream) -> io::Result<RawFd> {
    let (mut byte, mut rights) = ([0_u8], Rights::of(-1));
    let mut part = libc::iovec { iov_base: byte.as_mut_ptr().cast(), iov_len: 1 };
    let mut message = message(&mut part, &mut rights);
    // SAFETY: the places live until the call is over.
    let received = unsafe { libc::recvmsg(stream.as_raw_fd(), &raw mut message, libc::MSG_CMSG_CLOEXEC) };
    match received {
        1 if rights.descriptor >= 0 => Ok(rights.descriptor),
        1 => Err(io::Error::other("no descriptor came")),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Closes a descriptor that a driver or another process gave.
///
/// # Errors
/// What the system answers.
pub fn close(descriptor: RawFd) -> io::Result<()> {
    // SAFETY: whoever gave it left it to the caller.
    if unsafe { libc::close(descriptor) } == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
