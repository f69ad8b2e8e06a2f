//! Commands about descriptors: what one process has, another can get.

use crate::argument::number;
use sim_apps::descriptor;
use std::io;
use std::os::fd::RawFd;
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
        "close" => descriptor::close(RawFd::try_from(number(rest)?).ok()?).map(|()| "0".to_owned()),
        _ => return None,
    };
    Some(done.unwrap_or_else(|error| error.to_string()))
}

/// How long the other one may need.
const PATIENCE: Duration = Duration::from_secs(60);

fn send(path: &str, descriptor: RawFd) -> io::Result<()> {
    let begin = Instant::now();
    let stream = loop {
        match UnixStream::connect(path) {
            Err(_) if begin.elapsed() < PATIENCE => std::thread::sleep(Duration::from_millis(2)),
            other => break other?,
        }
    };
    descriptor::send(&stream, descriptor)
}

fn receive(path: &str) -> io::Result<RawFd> {
    let _ = std::fs::remove_file(path);
    let (stream, _) = UnixListener::bind(path)?.accept()?;
    descriptor::receive(&stream)
}
