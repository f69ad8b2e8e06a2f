//! A measured program while it runs. It may crash or hang, whatever is preloaded into it: that is a result, and the end of
//! nothing else.

use anyhow::{Context, Result, bail, ensure};
use rustix::process::{Pid, Signal, kill_process_group};
use std::io::Read;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};
use wait_timeout::ChildExt;

/// A program that is killed when it takes too long, or when this is dropped.
pub struct Running {
    child: Child,
    printed: Receiver<Vec<u8>>,
    complaints: Receiver<Vec<u8>>,
    patience: Duration,
    deadline: Instant,
    said: Vec<u8>,
    is_over: bool,
}

/// It did not end in time.
#[derive(Debug)]
pub struct Hung(Duration);

impl std::fmt::Display for Hung {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "no answer within {} s", self.0.as_secs())
    }
}

impl std::error::Error for Hung {}

impl Running {
    /// Starts a program with `input`.
    ///
    /// # Errors
    /// It cannot be started.
    pub fn start(mut command: Command, input: Stdio, patience: Duration) -> Result<Self> {
        // In a group of its own, so that whatever it or a library in it starts can be killed with it.
        command.stdin(input).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
        let mut child =
            command.spawn().with_context(|| format!("cannot start {:?}", command.get_program()))?;
        let printed = pieces(child.stdout.take());
        let complaints = pieces(child.stderr.take());
        let deadline = Instant::now() + patience;
        Ok(Self { child, printed, complaints, patience, deadline, said: Vec::new(), is_over: false })
    }

    /// Its process id.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Waits for the byte by which it says that it is ready.
    ///
    /// # Errors
    /// It ended, or takes too long.
    pub fn until_ready(&mut self) -> Result<()> {
        if !self.said.is_empty() || self.listen()? {
            return Ok(());
        }
        self.end()?;
        bail!("it ended before it was ready")
    }

    /// Waits for its end: what it printed.
    ///
    /// # Errors
    /// It failed, or takes too long.
    pub fn finish(mut self) -> Result<String> {
        while self.listen()? {}
        self.end()?;
        Ok(String::from_utf8(std::mem::take(&mut self.said))?)
    }

    /// Kills it as `kill -9` does, and waits until it is gone.
    ///
    /// # Errors
    /// The system does not let us.
    pub fn kill(mut self) -> Result<()> {
        self.child.kill()?;
        self.child.wait()?;
        Ok(())
    }

    /// Lets it end, which it has time for from now on: it waits for the end of its input.
    pub fn release(&mut self) {
        self.deadline = Instant::now() + self.patience;
        drop(self.child.stdin.take());
    }

    /// Waits for more that it prints. Whether there is more.
    fn listen(&mut self) -> Result<bool> {
        match self.printed.recv_timeout(self.deadline.saturating_duration_since(Instant::now())) {
            Ok(piece) => {
                self.said.extend(piece);
                Ok(true)
            }
            Err(RecvTimeoutError::Disconnected) => Ok(false),
            Err(RecvTimeoutError::Timeout) => Err(Hung(self.patience).into()),
        }
    }

    /// Waits until it is gone, which takes longer than its last word where a library does something at exit.
    fn end(&mut self) -> Result<()> {
        let left = self.deadline.saturating_duration_since(Instant::now());
        let status = self.child.wait_timeout(left)?.ok_or(Hung(self.patience))?;
        self.is_over = true;
        ensure!(status.success(), "{}", self.reason(status));
        Ok(())
    }

    /// Why it failed: its last words, or how it ended.
    fn reason(&self, status: ExitStatus) -> String {
        let complaints: Vec<u8> = self.complaints.iter().flatten().collect();
        let complaints = String::from_utf8_lossy(&complaints);
        let last = complaints.lines().map(str::trim).rfind(|line| !line.is_empty()).unwrap_or_default();
        let last =
            ["Error: ", "report: "].iter().find_map(|prefix| last.strip_prefix(prefix)).unwrap_or(last);
        match (status.signal(), last) {
            (Some(signal), "") => format!("killed by signal {signal}"),
            (Some(signal), last) => format!("killed by signal {signal} after: {last}"),
            (None, "") => format!("{status}"),
            (None, last) => last.to_owned(),
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Who waits for its parent ends by itself.
        self.release();
        if self.is_over {
            return;
        }
        let group = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw);
        // Gone already is as good; what cannot be killed is left to the system.
        let _ = group.map(|group| kill_process_group(group, Signal::KILL));
        let _ = self.child.wait();
    }
}

/// Reads to the end beside everything else, so that a pipe never fills and a wait can have an end.
fn pieces(pipe: Option<impl Read + Send + 'static>) -> Receiver<Vec<u8>> {
    let (sender, receiver) = channel();
    if let Some(mut pipe) = pipe {
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            // An error is the end of what can be read.
            while let Ok(length) = pipe.read(&mut buffer)
                && length > 0
                && sender.send(buffer[..length].to_vec()).is_ok()
            {}
        });
    }
    receiver
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATIENCE: Duration = Duration::from_secs(60);

    fn shell(script: &str, patience: Duration) -> Result<String> {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        Running::start(command, Stdio::null(), patience)?.finish()
    }

    #[test]
    fn what_it_printed_is_told_and_why_it_failed() {
        assert_eq!(shell("echo 1 2", PATIENCE).unwrap(), "1 2\n");
        let reason = |script| shell(script, PATIENCE).unwrap_err().to_string();
        assert_eq!(reason("echo 'Error: cuInit returned 802' >&2; exit 1"), "cuInit returned 802");
        assert_eq!(reason("kill -SEGV $$"), "killed by signal 11");
        assert_eq!(reason("exit 3"), "exit status: 3");
    }

    #[test]
    fn a_program_that_hangs_is_killed_with_what_it_started() {
        let begin = Instant::now();
        let error = shell("sleep 100 & sleep 100", Duration::from_millis(200)).unwrap_err();
        assert!(error.is::<Hung>(), "{error}");
        // Its pipes are closed only when all who have them are gone.
        assert!(begin.elapsed() < Duration::from_secs(50));
    }
}
