//! A service, from whoever wants to stop, start or look at it: files are how it and its [supervisor](crate::supervisor) agree.
//!
//! ```text
//! services/NAME/
//!   run      what to start
//!   down     while it exists, the service is not to run
//!   pid      while it runs, its process
//!   ends     one line for each time it ended
//! ```

use anyhow::{Context, Result, bail};
use rustix::process::{Pid, Signal, kill_process};
use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// How long a service may take to appear or to go.
const PATIENCE: Duration = Duration::from_secs(20);

/// How many lines of a log an error repeats.
const TAIL: usize = 15;

/// A service of a cluster.
#[derive(Clone, Debug)]
pub struct Service {
    /// As people call it, such as `node-1/kubelet`.
    pub name: String,
    pub(crate) directory: PathBuf,
    pub(crate) log: PathBuf,
}

impl Service {
    /// Its process, as numbered in the cluster's namespace, while it runs.
    pub fn pid(&self) -> Option<Pid> {
        Pid::from_raw(fs::read_to_string(self.directory.join("pid")).ok()?.trim().parse().ok()?)
    }

    /// How it ended, one line each time; also when it was stopped.
    pub fn ends(&self) -> Vec<String> {
        let text = fs::read_to_string(self.directory.join("ends")).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    /// Lets it run. It does from then on, also when it ends by itself.
    ///
    /// # Errors
    /// It does not appear.
    pub fn start(&self) -> Result<()> {
        self.permit()?;
        self.wait("start", || self.pid().is_some())
    }

    /// Lets it run, and does not wait.
    pub(crate) fn permit(&self) -> Result<()> {
        let down = self.directory.join("down");
        if down.exists() {
            fs::remove_file(&down).with_context(|| format!("cannot remove {}", down.display()))?;
        }
        Ok(())
    }

    /// Ends it with SIGTERM, and keeps it down.
    ///
    /// # Errors
    /// It does not go.
    pub fn stop(&self) -> Result<()> {
        self.end(Signal::TERM)
    }

    /// Ends it with SIGKILL, and keeps it down.
    ///
    /// # Errors
    /// It does not go.
    pub fn kill(&self) -> Result<()> {
        self.end(Signal::KILL)
    }

    /// Stops and starts it, as an upgrade would.
    ///
    /// # Errors
    /// It does not go, or does not appear.
    pub fn restart(&self) -> Result<()> {
        self.stop()?;
        self.start()
    }

    /// Makes it hang: its connections stay open and nobody answers.
    ///
    /// # Errors
    /// It does not run.
    pub fn pause(&self) -> Result<()> {
        self.signal(Signal::STOP)
    }

    /// Ends a [pause](Self::pause).
    ///
    /// # Errors
    /// It does not run.
    pub fn resume(&self) -> Result<()> {
        self.signal(Signal::CONT)
    }

    /// The last lines that it wrote.
    pub fn log_tail(&self) -> String {
        let text =
            fs::read(&self.log).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default();
        let lines: Vec<&str> = text.lines().collect();
        let last = &lines[lines.len().saturating_sub(TAIL)..];
        format!("{} ends with:\n  {}", self.log.display(), last.join("\n  "))
    }

    fn end(&self, signal: Signal) -> Result<()> {
        let down = self.directory.join("down");
        fs::write(&down, "").with_context(|| format!("cannot write {}", down.display()))?;
        if self.pid().is_some() {
            self.signal(signal)?;
        }
        self.wait("end", || self.pid().is_none())
    }

    fn signal(&self, signal: Signal) -> Result<()> {
        let Some(pid) = self.pid() else { bail!("{} does not run; {}", self.name, self.log_tail()) };
        kill_process(pid, signal).with_context(|| format!("cannot signal {}", self.name))
    }

    fn wait(&self, what: &str, done: impl Fn() -> bool) -> Result<()> {
        let start = Instant::now();
        while !done() {
            if start.elapsed() > PATIENCE {
                bail!("{} did not {what} within {} s; {}", self.name, PATIENCE.as_secs(), self.log_tail());
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        Ok(())
    }
}
