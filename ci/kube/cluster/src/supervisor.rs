//! Keeps services running, as [`service`](crate::service) says which; the first process of the
//! namespaces is one, so it also buries whatever orphans end there.

use crate::service::Service;
use anyhow::{Context, Result};
use rustix::process::{Pid, WaitOptions, WaitStatus, wait};
use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// How often it looks. Tests restart services; nobody waits for less.
const PERIOD: Duration = Duration::from_millis(20);

/// A service that ends by itself is started again after this.
const PAUSE: Duration = Duration::from_secs(1);

/// A service and its process.
struct Supervised {
    service: Service,
    pid: Option<Pid>,
    ended: Option<Instant>,
}

/// Runs services for as long as the namespaces last.
///
/// # Errors
/// A service cannot be started, or its files cannot be written.
pub(crate) fn supervise(services: Vec<Service>) -> Result<()> {
    let mut all: Vec<_> =
        services.into_iter().map(|service| Supervised { service, pid: None, ended: None }).collect();
    loop {
        while let Ok(Some((pid, status))) = wait(WaitOptions::NOHANG) {
            if let Some(ended) = all.iter_mut().find(|supervised| supervised.pid == Some(pid)) {
                ended.bury(status)?;
            }
        }
        for supervised in all.iter_mut().filter(|supervised| supervised.is_due()) {
            supervised.start()?;
        }
        std::thread::sleep(PERIOD);
    }
}

impl Supervised {
    fn is_due(&self) -> bool {
        let is_down = || self.service.directory.join("down").exists();
        self.pid.is_none() && self.ended.is_none_or(|ended| ended.elapsed() > PAUSE) && !is_down()
    }

    fn start(&mut self) -> Result<()> {
        let run = self.service.directory.join("run");
        let log = append(&self.service.log)?;
        let errors = log.try_clone().context("cannot duplicate a file")?;
        let child = Command::new(&run)
            .stdin(Stdio::null())
            .stdout(log)
            .stderr(errors)
            .spawn()
            .with_context(|| format!("cannot start {}", run.display()))?;
        self.pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
        write(&self.service.directory.join("pid"), &child.id().to_string())
    }

    fn bury(&mut self, status: WaitStatus) -> Result<()> {
        let directory = &self.service.directory;
        let asked = directory.join("down").exists();
        let how = match (status.exit_status(), status.terminating_signal()) {
            (Some(code), _) => format!("exit status {code}"),
            (None, Some(signal)) => format!("signal {signal}"),
            (None, None) => "unknown".to_owned(),
        };
        let ends = directory.join("ends");
        let earlier = fs::read_to_string(&ends).unwrap_or_default();
        write(&ends, &format!("{earlier}{how}\n"))?;
        self.pid = None;
        // One that was asked to go comes back as soon as it is asked to.
        self.ended = (!asked).then(Instant::now);
        let pid = directory.join("pid");
        fs::remove_file(&pid).with_context(|| format!("cannot remove {}", pid.display()))
    }
}

/// Readers see all of it or what was there before.
fn write(path: &Path, text: &str) -> Result<()> {
    let new = path.with_extension("new");
    let written = fs::write(&new, text).and_then(|()| fs::rename(&new, path));
    written.with_context(|| format!("cannot write {}", path.display()))
}

fn append(path: &Path) -> Result<File> {
    File::options()
        .create(true)
        .append(true)
        .open(path)
        .with_context(|| format!("cannot write {}", path.display()))
}
