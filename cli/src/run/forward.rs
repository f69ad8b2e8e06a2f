//! Signals for the command that reach its supervisor instead.

use std::fs;
use std::io;
use std::thread::{self, JoinHandle};

use rustix::process::{Pid, Signal, getpid, kill_process};
use signal_hook::iterator::exfiltrator::WithOrigin;
use signal_hook::iterator::{Handle, SignalsInfo};
use signal_hook::low_level::siginfo::{Cause, Origin};

/// What is caught: every signal that one process may send another to tell it something, and that would end the supervisor
/// instead of the command. The terminal's stop signals are among them so that the supervisor stops after the command, and
/// only if the command does. Real-time signals have no name here, and end the supervisor.
const SIGNALS: [Signal; 20] = [
    Signal::INT,
    Signal::TERM,
    Signal::HUP,
    Signal::QUIT,
    Signal::USR1,
    Signal::USR2,
    Signal::TSTP,
    Signal::TTIN,
    Signal::TTOU,
    Signal::ABORT,
    Signal::ALARM,
    Signal::VTALARM,
    Signal::PROF,
    Signal::TRAP,
    Signal::SYS,
    Signal::XCPU,
    Signal::XFSZ,
    Signal::IO,
    Signal::POWER,
    Signal::WINCH,
];

/// Signals on their way.
pub(super) type Caught = SignalsInfo<WithOrigin>;

/// Starts to catch signals, which wait until [`Forwarder::start`]. One that this process was told to ignore (`nohup`) stays
/// ignored, here and in the command.
pub(super) fn catch() -> io::Result<Caught> {
    let ignored = ignored(&fs::read_to_string("/proc/self/status")?);
    SignalsInfo::with_exfiltrator(
        SIGNALS.map(Signal::as_raw).iter().filter(|signal| ignored & bit(**signal) == 0),
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
/// second interrupt makes many programs give up their orderly end. What the command itself sent is no news to it, and what
/// the supervisor sends itself, as when it aborts, is its own.
fn is_for_command(origin: &Origin, command: Pid) -> bool {
    let senders = [command, getpid()].map(|pid| pid.as_raw_nonzero().get());
    let by_us = origin.process.is_some_and(|process| senders.contains(&process.pid));
    origin.cause != Cause::Kernel && !by_us
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ignored_signals_are_read_from_the_status() {
        let status = "Name:\tvgpu\nSigBlk:\tffffffffffffffff\nSigIgn:\t0000000000001001\nSigCgt:\t0\n";
        let ignored = ignored(status);
        assert_ne!(ignored & bit(Signal::HUP.as_raw()), 0);
        assert_eq!(ignored & bit(Signal::INT.as_raw()), 0);
    }

    #[test]
    fn a_status_without_signals_ignores_none() {
        assert_eq!(ignored(""), 0);
        assert_eq!(ignored("SigIgn:\tnonsense"), 0);
    }
}
