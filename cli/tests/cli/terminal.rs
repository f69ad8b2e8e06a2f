//! A terminal of which the test is the person in front.

use std::fs::File;
use std::io::{Read, Write};
use std::process::{Child, Command};

use crate::machine::Machine;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, Winsize, tcgetattr, tcsetwinsize};

/// The person's side.
pub(crate) struct Terminal {
    own: File,
    name: String,
    /// What has been read and not been looked at.
    rest: String,
}

impl Terminal {
    pub(crate) fn new() -> Self {
        let own = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
        grantpt(&own).and_then(|()| unlockpt(&own)).expect("a terminal");
        let name = ptsname(&own, Vec::new()).expect("a name").into_string().expect("text");
        let terminal = Self { own: own.into(), name, rest: String::new() };
        terminal.resize(120, 24);
        terminal
    }

    pub(crate) fn resize(&self, columns: u16, rows: u16) {
        let size = Winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
        tcsetwinsize(&self.own, size).expect("a size");
    }

    /// The programs' side.
    pub(crate) fn side(&self) -> File {
        File::options().read(true).write(true).open(&self.name).expect("the terminal's other side")
    }

    /// Starts `vgpu` with these arguments as the session that has this terminal.
    pub(crate) fn start(&self, machine: &Machine, args: &[&str]) -> Child {
        let mut command: Command = machine.command("setsid");
        command.arg("--ctty").arg(machine.program()).args(args);
        let command = command.stdin(self.side()).stdout(self.side()).stderr(self.side());
        command.spawn().expect("it starts")
    }

    pub(crate) fn press(&mut self, keys: &[u8]) {
        self.own.write_all(keys).expect("a key");
    }

    /// Reads until the programs have written `text`.
    pub(crate) fn until(&mut self, text: &str) {
        let mut part = [0; 4096];
        loop {
            if let Some(at) = self.rest.find(text) {
                self.rest.drain(..at + text.len());
                return;
            }
            let read = self.own.read(&mut part).expect("the terminal is open");
            self.rest.push_str(&String::from_utf8_lossy(&part[..read]));
        }
    }

    /// Whether lines are edited and keys echoed, as before a program took the terminal.
    pub(crate) fn is_as_before(&self) -> bool {
        let modes = tcgetattr(&self.own).expect("modes").local_modes;
        modes.contains(LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG)
    }

    /// A second descriptor of the person's side.
    pub(crate) fn screen(&self) -> File {
        self.own.try_clone().expect("a second descriptor")
    }
}
