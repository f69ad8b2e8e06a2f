//! Waiting for the command, and ending as it ends.

use std::env;
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitCode, ExitStatus};

use rustix::io::{Errno, retry_on_intr};
use rustix::process::{
    Pid, Resource, Rlimit, Signal, WaitId, WaitIdOptions, WaitIdStatus, getpid, getrlimit, kill_process,
    setrlimit, waitid,
};

use super::forward::{self, Forwarder};
use super::refusal;
use super::shares::{Applicant, Standing};
use crate::failure::Failure;

/// How the command ended.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    /// With this exit status.
    Status(u8),
    /// By this signal.
    Signal(i32),
}

/// Runs `command` in this process's group and session, so that the terminal treats it as if it had been started alone. Meanwhile
/// `applicant` stands for the owner of balance and priorities.
pub(super) fn supervise(mut command: Command, applicant: Option<Applicant>) -> Result<Ended, Failure> {
    let caught =
        forward::catch().map_err(|error| Failure::own(format_args!("cannot catch signals: {error}")))?;
    let mut child = command
        .spawn()
        .map_err(|error| refusal::explain(command.get_program(), env::var_os("PATH").as_deref(), &error))?;
    let pid = Pid::from_child(&child);
    let forwarder = Forwarder::start(caught, pid);
    let standing = applicant.map(Standing::new);
    let ended = until_end(pid, standing.as_ref());
    forwarder.stop();
    ended.and_then(|()| reap(&mut child)).map_err(|error| Failure::own(format_args!("cannot wait: {error}")))
}

/// Returns when the command has ended, but can still be waited for.
fn until_end(command: Pid, standing: Option<&Standing>) -> io::Result<()> {
    let peek = WaitIdOptions::EXITED | WaitIdOptions::STOPPED | WaitIdOptions::NOWAIT;
    loop {
        match retry_on_intr(|| waitid(WaitId::Pid(command), peek))? {
            Some(status) if status.stopped() => stop_along(command, &status, standing)?,
            Some(_) => return Ok(()),
            None => {}
        }
    }
}

/// Stops too when the terminal stopped the command, so that the shell that waits for this process goes on; the shell
/// then continues both. Other stops are between the command and who sent them.
fn stop_along(command: Pid, status: &WaitIdStatus, standing: Option<&Standing>) -> io::Result<()> {
    let take = WaitIdOptions::STOPPED | WaitIdOptions::NOHANG;
    match waitid(WaitId::Pid(command), take) {
        Ok(_) | Err(Errno::CHILD) => {}
        Err(error) => return Err(error.into()),
    }
    let by_terminal = [Signal::TSTP, Signal::TTIN, Signal::TTOU].map(Signal::as_raw);
    if status.stopping_signal().is_some_and(|signal| by_terminal.contains(&signal)) {
        let stop = || kill_process(getpid(), Signal::STOP);
        standing.map_or_else(stop, |standing| standing.step_back_while(stop))?;
        kill_process(command, Signal::CONT)?;
    }
    Ok(())
}

fn reap(child: &mut Child) -> io::Result<Ended> {
    Ok(Ended::from(child.wait()?))
}

impl From<ExitStatus> for Ended {
    fn from(status: ExitStatus) -> Self {
        match (status.code().map(u8::try_from), status.signal()) {
            (Some(Ok(code)), _) => Self::Status(code),
            (_, Some(signal)) => Self::Signal(signal),
            _ => Self::Status(u8::MAX),
        }
    }
}

impl Ended {
    /// Ends this process in the same way: whoever waits for it sees what the command did.
    pub(crate) fn pass_on(self) -> ExitCode {
        match self {
            Self::Status(code) => ExitCode::from(code),
            Self::Signal(signal) => {
                // The command has left its core file; ours would tell nothing and might replace it.
                let _ = setrlimit(Resource::Core, Rlimit { current: Some(0), ..getrlimit(Resource::Core) });
                // It returns for signals that have no name; then the status that a shell gives them has to do.
                let _ = signal_hook::low_level::emulate_default_handler(signal);
                ExitCode::from(u8::try_from(128 + signal).unwrap_or(u8::MAX))
            }
        }
    }
}
