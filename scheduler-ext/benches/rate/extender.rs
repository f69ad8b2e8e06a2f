//! The extender, and what it says of itself.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::scheduler::{Sample, end, spawn};

/// Where it serves kube-scheduler.
pub(crate) const ADDRESS: &str = "127.0.0.1:3456";
/// Where it serves metrics and probes.
const METRICS: &str = "127.0.0.1:9395";
const PATIENCE: Duration = Duration::from_secs(120);
/// Ticks of a process' clock in a second: the same on every Linux that one meets.
const TICKS: u64 = 100;

/// An extender that runs. It ends when this is dropped.
pub(crate) struct Extender {
    process: Child,
    /// How long it had kept a processor busy when it was ready: with lists of all nodes and pods.
    pub(crate) to_be_ready: Duration,
}

impl Extender {
    /// Starts it, and returns when it is ready.
    pub(crate) async fn start(folder: &Path, sample: Sample) -> Result<Self> {
        let mut command = Command::new(env!("CARGO_BIN_EXE_vgpu-scheduler-extender"));
        command.args(["--bind-address", ADDRESS, "--metrics-bind-address", METRICS]);
        if sample == Sample::Default {
            command.arg("--nodes-are-sampled");
        }
        let process = spawn(&mut command, folder.join("extender.log"))?;
        let mut extender = Self { process, to_be_ready: Duration::ZERO };
        let start = Instant::now();
        while !get("/readyz").is_ok_and(|answer| answer.starts_with("HTTP/1.1 200")) {
            if start.elapsed() > PATIENCE {
                bail!("the extender is not ready; its log is in {}", folder.display());
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        extender.to_be_ready = extender.busy()?;
        Ok(extender)
    }

    /// How long it has kept a processor busy since it was ready.
    pub(crate) fn busy_with_pods(&self) -> Result<Duration> {
        Ok(self.busy()?.saturating_sub(self.to_be_ready))
    }

    fn busy(&self) -> Result<Duration> {
        let path = format!("/proc/{}/stat", self.process.id());
        let text = std::fs::read_to_string(&path).context(path)?;
        // Fields 14 and 15; a name in parentheses, which may have spaces, is the second.
        let fields: Vec<&str> = text.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
        let ticks = |place: usize| fields.get(place).and_then(|field| field.parse::<u64>().ok());
        let ticks = ticks(11).zip(ticks(12)).map(|(user, system)| user + system);
        Ok(Duration::from_millis(ticks.context("no times in stat")? * 1000 / TICKS))
    }

    /// How many bindings it has tried, and how many of them did not come about. What it was asked before it led was not tried.
    pub(crate) fn binds(&self) -> Result<(u64, u64)> {
        let page = get("/metrics")?;
        let is_tried = |line: &&str| !line.contains("\"not-leading\"");
        let lines =
            page.lines().filter(|line| line.starts_with("vgpu_scheduler_binds_total{")).filter(is_tried);
        let (mut all, mut failed) = (0, 0);
        for line in lines {
            let count = line.rsplit(' ').next().and_then(|count| count.parse::<u64>().ok());
            let count = count.with_context(|| format!("no number: {line}"))?;
            all += count;
            failed += if line.contains("\"bound\"") { 0 } else { count };
        }
        Ok((all, failed))
    }
}

impl Drop for Extender {
    fn drop(&mut self) {
        end(&mut self.process);
    }
}

/// One page, with its head.
fn get(path: &str) -> Result<String> {
    let mut stream = TcpStream::connect(METRICS)?;
    write!(stream, "GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    Ok(answer)
}
