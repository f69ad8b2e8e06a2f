//! Commands about descriptors: what one process has, another can get.

use crate::argument::number;
use std::io;
use std::mem::{MaybeUninit, size_of};
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::net::{UnixListener, UnixStream};
use std::time::{Duration, Instant};

pub(crate) fn answer(command: &str, rest: &str) -> Option<String> {
    let done = match command {
        // `send PATH DESCRIPTOR` passes it to who receives at this path: `0`.
        "send" => {
            let (path, descriptor) = rest.split_once(' ')?;
            send(path, descriptor.parse().ok()?).map(|()| "0".to_owned())
        }
        // `receive PATH`: `0 DESCRIPTOR`.
        "receive" => receive(rest).map(|descriptor| format!("0 {descriptor}")),
        // `close DESCRIPTOR`: `0`.
        "close" => close(RawFd::try_from(number(rest)?).ok()?).map(|()| "0".to_owned()),
        _ => return None,
    };
    Some(done.unwrap_or_else(|error| error.to_string()))
}

/// How long the other one may need.
const PATIENCE: Duration = Duration::from_secs(60);

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

fn send(path: &str, descriptor: RawFd) -> io::Result<()> {
    let begin = Instant::now();
    let stream = loop {
        match UnixStream::connect(path) {
            Err(_) if begin.elapsed() < PATIENCE => std::thread::sleep(Duration::from_millis(2)),
            other => break other?,
        }
    };
    let (mut byte, mut rights) = ([0_u8], Rights::of(descriptor));
    let mut part = libc::iovec { iov_base: byte.as_mut_ptr().cast(), iov_len: 1 };
    let message = message(&mut part, &mut rights);
    // SAFETY: a whole message, whose parts live until the call is over.
    let sent = unsafe { libc::sendmsg(stream.as_raw_fd(), &raw const message, libc::MSG_NOSIGNAL) };
    if sent == 1 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

fn receive(path: &str) -> io::Result<RawFd> {
    let _ = std::fs::remove_file(path);
    let (stream, _) = UnixListener::bind(path)?.accept()?;
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

fn close(descriptor: RawFd) -> io::Result<()> {
    // SAFETY: a descriptor that the driver or another process gave; nothing here owns it.
    if unsafe { libc::close(descriptor) } == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
