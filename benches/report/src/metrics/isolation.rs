//! `IS`: how well limits of memory hold, and what one tenant is to another.

use super::probes::{call, cores, memory, scaled, slow_request};
use super::progress::{Progress, variation};
use crate::goal::{Bound, Goal};
use crate::metric::{Better, Line, Metric};
use anyhow::{Context, Result};
use benches::subject::{Managed, Setting, Subject};
use benches::work::Work;
use std::process::Stdio;

pub(super) const METRICS: [Metric; 6] = [ACCURACY, REFUSAL, KEPT, CONSISTENCY, NOISE, DEATH];

const ACCURACY: Metric = Metric {
    id: "IS-001",
    name: "Accuracy of the limit of memory",
    unit: "% of the limit",
    better: Better::Nearest,
    measures: "what the device holds more, by its own account, when a tenant of 1 GiB has taken all that it is granted in pieces of 2 MiB and one of a byte",
    published: "takes the total of cudaMemGetInfo for the limit, and steps of 64 MiB",
    lines: &[Line::new("1 GiB", fill)
        .apart("there is no limit")
        .goal(Goal::of(5, Bound::Near(100.0, 0.2)))
        .quick()],
};

const REFUSAL: Metric = Metric {
    id: "IS-002",
    name: "Time of a refusal",
    unit: "ns",
    better: Better::Less,
    measures: "processor time of one cuMemAlloc of more than the limit, which has to return CUDA_ERROR_OUT_OF_MEMORY",
    published: "times a request of more than the device has, which the driver refuses natively as well",
    lines: &[Line::new("more than the limit", |subject| {
        call(subject, Setting::Limited, Work::Refusal, 300_000)
    })
    .apart("there is no limit")
    .goal(Goal::of(4, Bound::AtMost(200.0)))
    .quick()],
};

const KEPT: Metric = Metric {
    id: "IS-006",
    name: "Throughput kept beside a neighbour",
    unit: "%",
    better: Better::More,
    measures: "kernels of 2 ms of a tenant of 50 % beside another of 50 % that launches without end, in percent of the same tenant's alone",
    published: "uses two streams of one process, which no limit tells apart",
    lines: &[Line::new("50 % beside 50 %", |subject| {
        let alone = Progress::alone(subject, cores(50, 0), 2000, 1500)?.share(500.0, 1500.0)?;
        let beside = Progress::of(subject, &[cores(50, 0), cores(50, 1)], 2000, 2000)?;
        Ok(100.0 * beside.first().context("two tenants")?.share(500.0, 2000.0)? / alone)
    })
    .by_the_clock()
    .goal(Goal::of(9, Bound::Near(100.0, 4.0)))],
};

const CONSISTENCY: Metric = Metric {
    id: "IS-007",
    name: "Consistency over time",
    unit: "% of the mean",
    better: Better::Less,
    measures: "standard deviation of what a tenant of 50 % has of the device in windows of 100 ms",
    published: "takes the times of single kernels, which do not change when whole seconds are lost between them",
    lines: &[Line::new("2 ms kernels", |subject| {
        let progress = Progress::alone(subject, cores(50, 0), 2000, 2500)?;
        Ok(variation(&progress.windows(500.0, 100.0)))
    })],
};

const NOISE: Metric = Metric {
    id: "IS-009",
    name: "Noisy neighbour",
    unit: "% longer",
    better: Better::Less,
    measures: "99th percentile of requests of ten kernels of 200 us beside a neighbour that launches kernels of 1 ms without end, against the same alone",
    published: "compares means of two streams of one process",
    lines: &[
        Line::new("50 % each", |subject| longer(subject, cores(50, 0), cores(50, 1))).by_the_clock(),
        Line::new("high priority beside low", |subject| longer(subject, priority(true), priority(false)))
            .apart("there are no priorities")
            .by_the_clock()
            .goal(Goal::of(12, Bound::AtMost(30.0))),
    ],
};

const DEATH: Metric = Metric {
    id: "IS-010",
    name: "Fault isolation",
    unit: "ms",
    better: Better::Less,
    measures: "time by the clock from kill -9 of a process that holds 1 GiB of a slice of 2.25 GiB until another process of the slice is granted that 1 GiB",
    published: "sets a flag when a kernel with a bad address returns an error in the process that launched it",
    lines: &[Line::new("kill -9", kill)
        .apart("there is no limit in whose way a dead process could be")
        .goal(Goal::of(5, Bound::AtMost(1000.0)))
        .quick()],
};

/// Percent of 1 GiB that a tenant gets hold of.
fn fill(subject: &Subject) -> Result<f64> {
    const LIMIT_MIB: u32 = 1024;
    let used = || -> Result<u64> { subject.time(Setting::Native, Work::Used, 1) };
    let before = used()?;
    let mut tenant = subject.spawn(memory(LIMIT_MIB), Work::Fill, LIMIT_MIB * 3 / 2, Stdio::piped())?;
    tenant.until_ready()?;
    let meanwhile = used()?;
    tenant.release();
    tenant.finish()?;
    Ok(100.0 * scaled(meanwhile.saturating_sub(before), u64::from(LIMIT_MIB) << 20))
}

/// Milliseconds until memory of a killed process is granted to another one.
fn kill(subject: &Subject) -> Result<f64> {
    let slice = memory(2304);
    let mut victim = subject.spawn(slice, Work::Hold(1024), 1, Stdio::piped())?;
    victim.until_ready()?;
    let mut heir = subject.spawn(slice, Work::Await(1024), 1, Stdio::piped())?;
    heir.until_ready()?;
    victim.kill()?;
    heir.release();
    let [waited] = benches::subject::exactly(&heir.finish()?)?;
    Ok(scaled(waited, 1_000_000))
}

/// A slice of `vgpu run` with half of the device.
const fn priority(is_high: bool) -> Setting {
    Setting::Managed(Managed { cores: 50, is_high })
}

/// By how many percent requests take longer beside a neighbour.
fn longer(subject: &Subject, own: Setting, neighbour: Setting) -> Result<f64> {
    let request = Work::Requests { us: 200, kernels: 10 };
    let alone = slow_request(subject, own, request, None)?;
    let beside = slow_request(subject, own, request, Some(neighbour))?;
    Ok(100.0 * (scaled(beside, 1) / scaled(alone.max(1), 1) - 1.0))
}
