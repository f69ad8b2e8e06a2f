//! Many processes that start together.

use crate::statistics::percentile;
use crate::subject::{Setting, Subject, nanoseconds};
use crate::work::Work;
use anyhow::{Context, Result};
use std::process::Child;

/// Starts `count` processes at the same moment and answers with the 99th percentile of the nanoseconds from `cuInit` to
/// the first allocation.
///
/// # Errors
/// A process failed.
pub(crate) fn p99(subject: &Subject, setting: Setting, count: usize) -> Result<u64> {
    let children = (0..count).map(|_| subject.spawn(setting, Work::Start)).collect::<Result<Vec<Child>>>()?;
    // They wait for the end of their input, which is that of every pipe here at once.
    let (pipes, children): (Vec<_>, Vec<_>) =
        children.into_iter().map(|mut child| (child.stdin.take(), child)).unzip();
    drop(pipes);
    let times = children
        .into_iter()
        .map(|child| {
            let output = child.wait_with_output()?;
            nanoseconds(Work::Start, setting, output.status.success(), &output.stdout)
        })
        .collect::<Result<Vec<u64>>>()?;
    Ok(percentile(&times, 99))
}

/// Processes of the slice that have allocated and now do nothing, until this is dropped.
pub(crate) struct Company(Vec<Child>);

impl Company {
    /// # Errors
    /// A process failed to start.
    pub(crate) fn of(subject: &Subject, setting: Setting, count: usize) -> Result<Self> {
        let mut company = Self(Vec::new());
        for _ in 0..count {
            let mut child = subject.spawn(setting, Work::Stay)?;
            let output = child.stdout.as_mut().context("no pipe to the process")?;
            // It prints once it is settled.
            std::io::Read::read_exact(output, &mut [0])?;
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
