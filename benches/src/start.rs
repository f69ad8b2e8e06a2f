//! Many processes that start together, and processes that keep others company.

use crate::running::Running;
use crate::statistics::percentile;
use crate::subject::{Setting, Subject, exactly};
use crate::work::Work;
use anyhow::Result;

/// What processes that started together took from `cuInit` to the first allocation.
pub struct Together {
    /// The 99th percentile of the time, in nanoseconds.
    pub p99: u64,
    /// The median of the time, in nanoseconds.
    pub median: u64,
    /// The mean of the processor time, in nanoseconds.
    pub cpu: u64,
}

/// Has `count` processes make their first call at the same moment.
///
/// # Errors
/// A process failed.
pub fn together(subject: &Subject, setting: Setting, count: usize) -> Result<Together> {
    let told = at_once(subject, setting, Work::Start, 1, count)?;
    let times: Vec<u64> = told.iter().map(|[elapsed, _]| *elapsed).collect();
    let cpu = told.iter().map(|[_, used]| used).sum::<u64>() / u64::try_from(count.max(1))?;
    Ok(Together { p99: percentile(&times, 99), median: percentile(&times, 50), cpu })
}

/// Processor time of some processes together, in millionths of a core.
pub struct Use {
    /// Of the threads that the program knows nothing of.
    pub others: u64,
    /// Of all threads.
    pub whole: u64,
}

/// Lets processes do `work` together, for so many seconds.
///
/// # Errors
/// A process failed.
pub fn watched(
    subject: &Subject,
    setting: Setting,
    work: Work,
    seconds: u32,
    processes: usize,
) -> Result<Use> {
    let mut sum = Use { others: 0, whole: 0 };
    for [process, thread] in at_once(subject, setting, work, seconds, processes)? {
        sum.whole += process;
        sum.others += process.saturating_sub(thread);
    }
    let ppm = |nanoseconds: u64| nanoseconds / (1000 * u64::from(seconds));
    Ok(Use { others: ppm(sum.others), whole: ppm(sum.whole) })
}

/// Starts so many `processes` that do `work`, COUNT times, waits until each is ready for it, and lets them all go at the same
/// moment. The two numbers that each of them prints.
///
/// # Errors
/// A process failed.
pub fn at_once(
    subject: &Subject,
    setting: Setting,
    work: Work,
    count: u32,
    processes: usize,
) -> Result<Vec<[u64; 2]>> {
    let told = side_by_side(subject, &vec![(setting, work, count); processes])?;
    told.iter().map(|told| exactly(told)).collect()
}

/// The same, where each has a setting and a work of its own: what each of them prints.
///
/// # Errors
/// A process failed.
pub fn side_by_side(subject: &Subject, processes: &[(Setting, Work, u32)]) -> Result<Vec<String>> {
    let (go, hold) = std::io::pipe()?;
    let spawn = |&(setting, work, count): &(Setting, Work, u32)| {
        subject.spawn(setting, work, count, go.try_clone()?.into())
    };
    let mut children = processes.iter().map(spawn).collect::<Result<Vec<Running>>>()?;
    children.iter_mut().try_for_each(Running::until_ready)?;
    // They wait for the end of their common input.
    drop(hold);
    children.into_iter().map(Running::finish).collect()
}

/// Processes of the slice that do some work until this is dropped.
pub struct Company(Vec<Running>);

impl Company {
    /// # Errors
    /// A process failed to start.
    pub fn of(subject: &Subject, setting: Setting, work: Work, count: usize) -> Result<Self> {
        let mut company = Self(Vec::new());
        for _ in 0..count {
            let mut child = subject.spawn(setting, work, 1, std::process::Stdio::piped())?;
            child.until_ready()?;
            company.0.push(child);
        }
        Ok(company)
    }
}

impl Drop for Company {
    fn drop(&mut self) {
        // All at once, and then each is waited for.
        self.0.iter_mut().for_each(Running::release);
        for child in self.0.drain(..) {
            // What it measured is of no use to anybody, and nor is how it failed.
            let _ = child.finish();
        }
    }
}
