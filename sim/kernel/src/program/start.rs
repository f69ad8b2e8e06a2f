//! Starting a machine: the part that a client waits for.
//!
//! The machine must not be a child of whoever happened to need it first, nor hold anything of it. So this short-lived
//! process binds the socket, leaves it to a process of its own, and ends: from then on a connection succeeds.

use std::io;
use std::os::fd::OwnedFd;
use std::process::{Command, Stdio};

use rustix::net::{
    AddressFamily, SocketAddrUnix, SocketFlags, SocketType, bind, connect, listen, socket_with,
};

use super::arguments::Arguments;
use super::config;
use crate::place::Place;
use crate::{Client, ConnectOptions, Kind};

/// Connections that may wait to be accepted.
const BACKLOG: i32 = 1024;

/// Sees that a machine runs at the socket, and that it is frozen if it is to be.
pub(super) fn run(arguments: &Arguments) -> Result<(), String> {
    let place = Place::made(&arguments.socket)?;
    let lock = place.lock()?;
    let address =
        SocketAddrUnix::new(&place.socket).map_err(io::Error::from).map_err(|error| error.to_string())?;
    if is_served(&address) {
        return freeze(arguments);
    }
    config::load(arguments.config.as_deref(), arguments.devices)?;
    let named = |error: io::Error| format!("socket {}: {error}", place.socket.display());
    let listener = replace_socket(&place, &address).map_err(named)?;
    spawn(arguments, &place, listener)?;
    drop(lock);
    Ok(())
}

/// Freezes the use that a running machine tells, where that is asked for; all else it keeps.
fn freeze(arguments: &Arguments) -> Result<(), String> {
    let Some(frozen) = arguments.frozen else { return Ok(()) };
    let socket = arguments.socket.clone();
    let options = ConnectOptions { kind: Kind::Observer, socket, program: None, config: None, devices: None };
    let observer = Client::connect(&options).map_err(|error| error.to_string())?;
    observer.freeze(Some(frozen)).map_err(|fault| fault.to_string())
}

fn is_served(address: &SocketAddrUnix) -> bool {
    let socket = socket_with(AddressFamily::UNIX, SocketType::STREAM, SocketFlags::CLOEXEC, None);
    socket.is_ok_and(|socket| connect(socket, address).is_ok())
}

/// Listens at the path, where at most the socket of a dead machine is left.
fn replace_socket(place: &Place, address: &SocketAddrUnix) -> io::Result<OwnedFd> {
    match std::fs::remove_file(&place.socket) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let socket = socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)?;
    bind(&socket, address)?;
    listen(&socket, BACKLOG)?;
    Ok(socket)
}

/// Runs the machine in a process of its own, which this one does not wait for.
fn spawn(arguments: &Arguments, place: &Place, listener: OwnedFd) -> Result<(), String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut command = Command::new(&program);
    command.arg("serve").arg("--socket").arg(&place.socket);
    command.arg("--idle-ms").arg(arguments.idle.as_millis().to_string());
    command.arg("--devices").arg(arguments.devices.to_string());
    if let Some(frozen) = arguments.frozen {
        command.arg("--freeze").arg(format!("{},{}", frozen.gpu, frozen.memory));
    }
    if let Some(config) = &arguments.config {
        let path = std::path::absolute(config).map_err(|error| error.to_string())?;
        command.arg("--config").arg(path);
    }
    command.env_clear().current_dir("/");
    command.stdin(Stdio::from(listener)).stdout(Stdio::null()).stderr(Stdio::from(place.log()?));
    let child = command.spawn().map_err(|error| format!("{}: {error}", program.display()))?;
    // Not waited for: when this process ends, the machine is init's child.
    drop(child);
    Ok(())
}
