//! Signals for the command that reach its supervisor instead.

use std::fs;
use std::io;
use std::thread::{self, JoinHandle};

use rustix::process::{Pid, Signal, kill_process};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP, SIGTTIN, SIGTTOU, SIGUSR1, SIGUSR2};
use signal_hook::iterator::exfiltrator::WithOrigin;
use signal_hook::iterator::{Handle, SignalsInfo};
use signal_hook::low_level::siginfo::{Cause, Origin};

/// What is caught. The terminal's stop signals are among them so that the supervisor stops after the command, and only
/// if the command does.
const SIGNALS: [i32; 9] = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGTSTP, SIGTTIN, SIGTTOU];

/// Signals on their way.
pub(super) type Caught = SignalsInfo<WithOrigin>;

/// Starts to catch signals, which wait until [`Forwarder::start`]. One that this process was told to ignore (`nohup`) stays
/// ignored, here and in the command.
pub(super) fn catch() -> io::Result<Caught> {
    let ignored = ignored(&fs::read_to_string("/proc/self/status")?);
    SignalsInfo::with_exfiltrator(
        SIGNALS.iter().filter(|signal| ignored & bit(**signal) == 0),
        WithOrigin::default(),
    )
}

/// The set of ignored signals in the text of a process's status file.
fn ignored(status: &str) -> u64 {
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}

/// The bit of `signal` in a set.
fn bit(signal: i32) -> u64 {
    1 << (signal - 1)
}

/// Sends on to the command what is caught, until it is stopped.
#[derive(Debug)]
pub(super) struct Forwarder {
    handle: Handle,
    thread: JoinHandle<()>,
}

impl Forwarder {
    /// Sends to `command`, a child that is waited for only after [`Forwarder::stop`]: its number cannot be another's.
    pub(super) fn start(mut caught: Caught, command: Pid) -> Self {
        let handle = caught.handle();
        let forward = move || {
            for origin in caught.forever().filter(|origin| is_for_command(origin, command)) {
                if let Some(signal) = Signal::from_named_raw(origin.signal) {
                    // A command that has just ended needs no signal.
                    let _ = kill_process(command, signal);
                }
            }
        };
        Self { handle, thread: thread::spawn(forward) }
    }

    /// Sends nothing more.
    pub(super) fn stop(self) {
        self.handle.close();
        // The thread has nothing to tell, not even by a panic.
        let _ = self.thread.join();
    }
}

/// The terminal sends to the whole foreground group, and the command is in it: twice would be once too often, as the
/// second interrupt makes many programs give up their orderly end. What the command itself sent is no news to it.
fn is_for_command(origin: &Origin, command: Pid) -> bool {
    let by_command = origin.process.is_some_and(|process| process.pid == command.as_raw_nonzero().get());
    origin.cause != Cause::Kernel && !by_command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ignored_signals_are_read_from_the_status() {
        let status = "Name:\tvgpu\nSigBlk:\tffffffffffffffff\nSigIgn:\t0000000000001001\nSigCgt:\t0\n";
        let ignored = ignored(status);
        assert_ne!(ignored & bit(SIGHUP), 0);
        assert_eq!(ignored & bit(SIGINT), 0);
    }

    #[test]
    fn a_status_without_signals_ignores_none() {
        assert_eq!(ignored(""), 0);
        assert_eq!(ignored("SigIgn:\tnonsense"), 0);
    }
}
