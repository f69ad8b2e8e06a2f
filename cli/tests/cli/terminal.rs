//! A terminal of which the test is the person in front.

use std::fs::File;
use std::io::{Read, Write};
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use crate::machine::Machine;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, OptionalActions, Winsize, tcgetattr, tcsetattr, tcsetwinsize};

/// How long anything may take; far more than it does.
const PATIENCE: Duration = Duration::from_secs(60);

/// The person's side.
pub(crate) struct Terminal {
    own: File,
    name: String,
    /// What has been read and not been looked at.
    rest: String,
}

impl Terminal {
    pub(crate) fn new() -> Self {
        let own = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).expect("a terminal");
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
        self.spawn(self.command(machine, args))
    }

    /// `vgpu` with these arguments as the session that will have this terminal.
    pub(crate) fn command(&self, machine: &Machine, args: &[&str]) -> Command {
        let mut command: Command = machine.command("setsid");
        command.arg("--ctty").arg(machine.program()).args(args).env("TERM", "xterm");
        command
    }

    /// Starts `command` with this terminal for its standard streams.
    pub(crate) fn spawn(&self, mut command: Command) -> Child {
        let command = command.stdin(self.side()).stdout(self.side()).stderr(self.side());
        command.spawn().expect("it starts")
    }

    pub(crate) fn press(&mut self, keys: &[u8]) {
        self.own.write_all(keys).expect("a key");
    }

    /// Reads until the programs have written `text`, and returns what they wrote before it. When they do not, the test fails
    /// with what was on the screen.
    pub(crate) fn until(&mut self, text: &str) -> String {
        let start = Instant::now();
        loop {
            if let Some(at) = self.rest.find(text) {
                let after = self.rest.split_off(at + text.len());
                let mut before = std::mem::replace(&mut self.rest, after);
                before.truncate(at);
                return before;
            }
            let fault = match PATIENCE.checked_sub(start.elapsed()).map(|left| self.read(left)) {
                Some(Ok(0)) | None => format!("not within {PATIENCE:?}"),
                Some(Ok(_)) => continue,
                Some(Err(error)) => error.to_string(),
            };
            panic!("{text:?} is not on the screen ({fault}); on it is {:?}", self.rest);
        }
    }

    /// Reads what the programs write within `patience`; the bytes read.
    fn read(&mut self, patience: Duration) -> std::io::Result<usize> {
        let patience = Timespec::try_from(patience).expect("a short time");
        if poll(&mut [PollFd::new(&self.own, PollFlags::IN)], Some(&patience))? == 0 {
            return Ok(0);
        }
        let mut part = [0; 4096];
        let read = self.own.read(&mut part)?;
        self.rest.push_str(&String::from_utf8_lossy(&part[..read]));
        Ok(read)
    }

    /// Makes the terminal edit lines and echo keys, as a shell does that gets it back.
    pub(crate) fn reset(&self) {
        let mut modes = tcgetattr(&self.own).expect("modes");
        modes.local_modes |= LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG;
        tcsetattr(&self.own, OptionalActions::Now, &modes).expect("modes");
    }

    /// Whether lines are edited and keys echoed, as before a program took the terminal.
    pub(crate) fn is_as_before(&self) -> bool {
        let modes = tcgetattr(&self.own).expect("modes").local_modes;
        modes.contains(LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG)
    }
}
