//! Being the machine.

use std::io;
use std::num::NonZeroU64;
use std::os::fd::{AsFd, OwnedFd, RawFd};

use rustix::net::sockopt::socket_acceptconn;
use rustix::process::{Resource, getrlimit, setrlimit, setsid};
use rustix::thread::set_current_timer_slack;

use super::arguments::Arguments;
use super::config;
use crate::place::Place;
use crate::server::{Retirement, Server};

/// Serves at the listening socket that is standard input, until nobody needs the machine any more.
pub(super) fn run(arguments: &Arguments) -> Result<(), String> {
    if socket_acceptconn(io::stdin()) != Ok(true) {
        return Err("standard input is no listening socket: use `vgpu-sim-kernel start`".into());
    }
    let listener = detach().map_err(|error| error.to_string())?;
    let place = Place::existing(&arguments.socket)?;
    let config = config::load(arguments.config.as_deref(), arguments.devices)?;
    let retirement = Retirement::new(&place.socket, place.lock_file()?, arguments.idle);
    let server = retirement.and_then(|retirement| Server::new(&config, listener, retirement));
    server
        .map(|server| server.frozen(arguments.frozen))
        .and_then(Server::run)
        .map_err(|error| error.to_string())
}

/// Lets go of whoever happened to start the machine, and takes the listening socket.
fn detach() -> io::Result<OwnedFd> {
    close_inherited()?;
    setsid()?;
    // Every client costs descriptors: as many as may be had.
    let mut files = getrlimit(Resource::Nofile);
    files.current = files.maximum;
    setrlimit(Resource::Nofile, files)?;
    // Whoever waits for work is to be told as soon as it is done.
    set_current_timer_slack(NonZeroU64::new(1))?;
    io::stdin().as_fd().try_clone_to_owned()
}

/// Closes every descriptor but the standard ones: one end of somebody's pipe, kept open here, would let its reader wait
/// for as long as the machine lives.
fn close_inherited() -> io::Result<()> {
    let open: Vec<RawFd> = std::fs::read_dir("/proc/self/fd")?
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .filter(|fd| *fd > 2)
        .collect();
    for fd in open {
        // SAFETY: at the start of the process nothing in it owns a descriptor beyond the standard ones, so what is open
        // was inherited and is nobody's. The directory's own descriptor is closed already, and closing it again fails.
        unsafe { libc::close(fd) };
    }
    Ok(())
}
