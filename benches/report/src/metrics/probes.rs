//! What several metrics measure with.

use anyhow::{Context, Result};
use benches::program::Program;
use benches::start::Company;
use benches::statistics::percentile;
use benches::subject::{Setting, Slice, Subject, numbers};
use benches::work::{Place, Work};

/// `value` in a unit that is so many times as large.
#[expect(clippy::cast_precision_loss, reason = "a figure for people")]
pub(super) fn scaled(value: u64, times: u64) -> f64 {
    value as f64 / times as f64
}

/// How many calls are timed: `simulated`, or on a card, where they take so much longer, fewer.
pub(super) fn calls(subject: &Subject, simulated: u32) -> u32 {
    if subject.place() == Place::Card { simulated.div_ceil(20) } else { simulated }
}

/// The nanoseconds of one call.
pub(super) fn call(subject: &Subject, setting: Setting, work: Work, count: u32) -> Result<f64> {
    Ok(scaled(subject.time(setting, work, calls(subject, count))?, 1))
}

/// The nanoseconds of one launch, in a queue that is never full.
pub(super) fn launch(subject: &Subject, setting: Setting) -> Result<f64> {
    // The driver without a device has no queue.
    let work = if subject.place() == Place::Card { Work::Bursts } else { Work::Launch };
    call(subject, setting, work, 500_000)
}

/// The microseconds of one of many.
pub(super) fn turn(subject: &Subject, setting: Setting, work: Work, count: u32) -> Result<f64> {
    Ok(scaled(subject.time(setting, work, count)?, 1000))
}

/// The microseconds by the clock of each of many turns of a program under limits that it does not reach.
pub(super) fn each(subject: &Subject, program: Program) -> Result<f64> {
    let [time, _] = subject.ask(Setting::Shared, program.work, program.count)?;
    Ok(scaled(time, 1000))
}

/// Limits of a tenant of which only that of compute is met, in percent.
pub(super) const fn cores(cores: u32, tenant: u32) -> Setting {
    Setting::Slice(Slice { memory_mib: 4096, cores, tenant })
}

/// Limits of a tenant of which only that of memory is met, in MiB.
pub(super) const fn memory(memory_mib: u32) -> Setting {
    Setting::Slice(Slice { memory_mib, cores: 100, tenant: 0 })
}

/// The 99th percentile of what a hundred requests took, in nanoseconds, beside a tenant that launches kernels of 1 ms without end,
/// if there is to be one.
pub(super) fn slow_request(
    subject: &Subject,
    own: Setting,
    request: Work,
    neighbour: Option<Setting>,
) -> Result<u64> {
    let greedy = Work::Greedy { us: 1000 };
    let _company = neighbour.map(|neighbour| Company::of(subject, neighbour, greedy, 1)).transpose()?;
    let told = subject.tell(own, request, 100)?;
    let times = numbers(&told).context("the times of requests")?;
    Ok(percentile(&times, 99))
}
