//! Many processes that start together, and processes that keep others company.

use crate::statistics::percentile;
use crate::subject::{Setting, Subject, numbers};
use crate::work::Work;
use anyhow::{Context, Result};
use std::io::Read;
use std::process::Child;

/// What processes that started together took from `cuInit` to the first allocation.
pub(crate) struct Together {
    /// The 99th percentile of the time, in nanoseconds.
    pub(crate) p99: u64,
    /// The median of the time, in nanoseconds.
    pub(crate) median: u64,
    /// The mean of the processor time, in nanoseconds.
    pub(crate) cpu: u64,
}

/// Has `count` processes make their first call at the same moment.
///
/// # Errors
/// A process failed.
pub(crate) fn together(subject: &Subject, setting: Setting, count: usize) -> Result<Together> {
    let told = at_once(subject, setting, Work::Start, 1, count)?;
    let times: Vec<u64> = told.iter().map(|[elapsed, _]| *elapsed).collect();
    let cpu = told.iter().map(|[_, used]| used).sum::<u64>() / u64::try_from(count.max(1))?;
    Ok(Together { p99: percentile(&times, 99), median: percentile(&times, 50), cpu })
}

/// Starts so many `processes` that do `work`, COUNT times, waits until each is ready for it, and lets them all go at the same
/// moment. The two numbers that each of them prints.
///
/// # Errors
/// A process failed.
pub(crate) fn at_once(
    subject: &Subject,
    setting: Setting,
    work: Work,
    count: u32,
    processes: usize,
) -> Result<Vec<[u64; 2]>> {
    let (go, hold) = std::io::pipe()?;
    let mut children = (0..processes)
        .map(|_| subject.spawn(setting, work, count, go.try_clone()?.into()))
        .collect::<Result<Vec<Child>>>()?;
    children.iter_mut().try_for_each(until_ready)?;
    // They wait for the end of their common input.
    drop(hold);
    let told = |child: Child| {
        let output = child.wait_with_output()?;
        numbers(work, setting, output.status.success(), &output.stdout)
    };
    children.into_iter().map(told).collect()
}

/// Waits for the byte by which a process says that it is ready.
fn until_ready(child: &mut Child) -> Result<()> {
    let output = child.stdout.as_mut().context("no pipe to the process")?;
    Ok(output.read_exact(&mut [0])?)
}

/// Processes of the slice that do some work until this is dropped.
pub(crate) struct Company(Vec<Child>);

impl Company {
    /// # Errors
    /// A process failed to start.
    pub(crate) fn of(subject: &Subject, setting: Setting, work: Work, count: usize) -> Result<Self> {
        let mut company = Self(Vec::new());
        for _ in 0..count {
            let mut child = subject.spawn(setting, work, 1, std::process::Stdio::piped())?;
            until_ready(&mut child)?;
            company.0.push(child);
        }
        Ok(company)
    }
}

impl Drop for Company {
    fn drop(&mut self) {
        for child in &mut self.0 {
            drop(child.stdin.take());
            let _ = child.wait();
        }
    }
}
