//! What several metrics measure with.

use anyhow::{Context, Result};
use benches::start::Company;
use benches::statistics::percentile;
use benches::subject::{Setting, Slice, Subject, numbers};
use benches::work::Work;

/// `value` in a unit that is so many times as large.
#[expect(clippy::cast_precision_loss, reason = "a figure for people")]
pub(super) fn scaled(value: u64, times: u64) -> f64 {
    value as f64 / times as f64
}

/// The nanoseconds of one call.
pub(super) fn call(subject: &Subject, setting: Setting, work: Work, count: u32) -> Result<f64> {
    Ok(scaled(subject.time(setting, work, count)?, 1))
}

/// The microseconds of one of many.
pub(super) fn turn(subject: &Subject, setting: Setting, work: Work, count: u32) -> Result<f64> {
    Ok(scaled(subject.time(setting, work, count)?, 1000))
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
/// if there is to be one. Both have half of the device.
pub(super) fn slow_request(subject: &Subject, request: Work, has_neighbour: bool) -> Result<u64> {
    let neighbour = (cores(50, 1), Work::Greedy { us: 1000 });
    let _company = Company::of(subject, neighbour.0, neighbour.1, usize::from(has_neighbour))?;
    let told = subject.spawn(cores(50, 0), request, 100, std::process::Stdio::null())?.finish()?;
    let times = numbers(&told).context("the times of requests")?;
    Ok(percentile(&times, 99))
}
