//! The schema of `vgpu ps --json`. Fields are added, never renamed or given another meaning within one version.

use std::time::Duration;

use contract::Uuid;
use monitor::slices::{
    Compute, LastRefusal, Limit, MemoryClass, RefusalCount, Slice, SliceGpu, SliceProcess, Usage,
};
use serde::Serialize;

/// What the whole document has.
const VERSION: u32 = 1;
const NANOS_OF_MS: u64 = 1_000_000;

#[derive(Serialize)]
struct Document<'a> {
    version: u32,
    slices: Vec<SliceJson<'a>>,
}

#[derive(Serialize)]
struct SliceJson<'a> {
    name: &'a str,
    supervisor: Option<u32>,
    /// Whether that still runs; `null` where there was none.
    supervised: Option<bool>,
    region: String,
    error: Option<&'a str>,
    gpus: Vec<GpuJson<'a>>,
    processes: Vec<ProcessJson<'a>>,
}

#[derive(Serialize)]
struct GpuJson<'a> {
    index: Option<u32>,
    uuid: String,
    name: Option<&'a str>,
    memory_bytes: Option<u64>,
    /// `null` where `limit` is not `bytes`.
    limit_bytes: Option<u64>,
    limit: &'static str,
    cores_percent: Option<u8>,
    policy: &'static str,
    priority: u32,
    used_bytes: u64,
    peak_bytes: u64,
    refused: u64,
    refused_to_departed: u64,
    largest_refused_bytes: u64,
    last_refused: Option<LastRefusedJson>,
    refusals: Vec<RefusalsJson>,
    compute: ComputeJson,
    /// What measured GPU time is multiplied by, in millionths.
    trim_ppm: u64,
    /// Whether the driver tells what to trim by; `null` before anybody has asked.
    trim_source: Option<bool>,
}

/// What somebody does with a GPU's time.
#[derive(Serialize)]
struct ComputeJson {
    launches: u64,
    busy_ms: u64,
    waited_ms: u64,
    threads_waiting: u32,
    /// In thousandths of the GPU's time; `null` where nothing was measured.
    share_permille: Option<u16>,
    achieved_permille: Option<u32>,
}

/// Refusals of one class and range of sizes.
#[derive(Serialize)]
struct RefusalsJson {
    class: &'static str,
    /// The smallest size of the range, which goes up to before twice that.
    at_least_bytes: u64,
    count: u64,
}

#[derive(Serialize)]
struct LastRefusedJson {
    unix_ms: u64,
    bytes: u64,
    /// `null` if what the process wrote there is none.
    class: Option<&'static str>,
    /// On which GPU; `null` under that GPU, and where it is not known.
    uuid: Option<String>,
}

#[derive(Serialize)]
struct ProcessJson<'a> {
    pid: Option<u32>,
    pid_in_namespace: u32,
    pid_namespace: u64,
    started_ticks: u64,
    state: &'static str,
    command: Option<&'a str>,
    refused_bytes: u64,
    last_refused_unix_ms: Option<u64>,
    largest_refused_bytes: u64,
    last_refused: Option<LastRefusedJson>,
    gpus: Vec<UsageJson>,
}

#[derive(Serialize)]
struct UsageJson {
    uuid: String,
    used_bytes: u64,
    peak_bytes: u64,
    context_bytes: u64,
    refused: u64,
    compute: ComputeJson,
}

/// The slices as a document.
pub(crate) fn document(slices: &[Slice]) -> impl Serialize {
    Document { version: VERSION, slices: slices.iter().map(slice).collect() }
}

fn slice(slice: &Slice) -> SliceJson<'_> {
    let gpus = slice.gpus.iter().enumerate().map(|(place, each)| gpu(each, refused_to_members(slice, place)));
    SliceJson {
        name: &slice.name,
        supervisor: slice.supervisor,
        supervised: slice.supervisor.map(|_| slice.is_supervised),
        region: slice.region.to_string_lossy().into_owned(),
        error: slice.fault.as_deref(),
        gpus: gpus.collect(),
        processes: slice.processes.iter().map(|process| member(process, &slice.gpus)).collect(),
    }
}

/// Requests refused to the processes that are listed, on the GPU at `place`.
fn refused_to_members(slice: &Slice, place: usize) -> u64 {
    let usage = slice.processes.iter().filter_map(|process| process.usage.get(place));
    usage.fold(0, |sum, usage| sum.saturating_add(usage.refused))
}

fn gpu(gpu: &SliceGpu, refused_to_members: u64) -> GpuJson<'_> {
    let (limit, limit_bytes) = match gpu.limit {
        Limit::Unknown => ("unknown", None),
        Limit::Unlimited => ("none", None),
        Limit::Bytes(bytes) => ("bytes", Some(bytes.0)),
    };
    GpuJson {
        index: gpu.index,
        uuid: gpu.uuid.to_string(),
        name: gpu.name.as_deref(),
        memory_bytes: gpu.memory.map(|memory| memory.0),
        limit_bytes,
        limit,
        cores_percent: gpu.cores.map(|cores| cores.get()),
        policy: gpu.policy.name(),
        priority: gpu.priority.0,
        used_bytes: gpu.used.0,
        peak_bytes: gpu.peak.0,
        refused: gpu.refusals.total(),
        refused_to_departed: gpu.refusals.total().saturating_sub(refused_to_members),
        largest_refused_bytes: gpu.refusals.largest.0,
        last_refused: gpu.refusals.last.map(|last| last_refused(last, None)),
        refusals: gpu.refusals.counts.iter().map(refusals).collect(),
        compute: compute(&gpu.compute),
        trim_ppm: gpu.correction.trim.bits(),
        trim_source: gpu.correction.has_source,
    }
}

fn compute(compute: &Compute) -> ComputeJson {
    let millis = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
    ComputeJson {
        launches: compute.launches,
        busy_ms: millis(compute.busy),
        waited_ms: millis(compute.waited),
        threads_waiting: compute.waiting,
        share_permille: compute.share.map(|share| share.get()),
        achieved_permille: compute.achieved,
    }
}

fn refusals(entry: &RefusalCount) -> RefusalsJson {
    RefusalsJson { class: entry.class.name(), at_least_bytes: entry.size.least().0, count: entry.count }
}

fn last_refused(last: LastRefusal, gpu: Option<Uuid>) -> LastRefusedJson {
    LastRefusedJson {
        unix_ms: last.at / NANOS_OF_MS,
        bytes: last.bytes.0,
        class: last.class.map(MemoryClass::name),
        uuid: gpu.map(|uuid| uuid.to_string()),
    }
}

fn member<'a>(process: &'a SliceProcess, gpus: &[SliceGpu]) -> ProcessJson<'a> {
    let usage = |(gpu, usage): (&SliceGpu, &Usage)| UsageJson {
        uuid: gpu.uuid.to_string(),
        used_bytes: usage.used.0,
        peak_bytes: usage.peak.0,
        context_bytes: usage.overhead.0,
        refused: usage.refused,
        compute: compute(&usage.compute),
    };
    let used = gpus.iter().zip(&process.usage).filter(|(_, usage)| !usage.is_nothing());
    ProcessJson {
        pid: process.pid,
        pid_in_namespace: process.own_pid,
        pid_namespace: process.pid_namespace,
        started_ticks: process.started,
        state: if process.alive { "alive" } else { "dead" },
        command: process.command.as_deref(),
        refused_bytes: process.refused_bytes.0,
        last_refused_unix_ms: process.last_refusal.map(|last| last.at / NANOS_OF_MS),
        largest_refused_bytes: process.largest_refusal.0,
        last_refused: process.last_refusal.map(|last| last_refused(last, process.last_refused_gpu)),
        gpus: used.map(usage).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::say::json;
    use crate::show::samples::slices;

    #[test]
    fn the_schema_is_stable() {
        let text = json(&document(&slices()));
        assert_eq!(text, include_str!("golden/document.json"));
    }

    #[test]
    fn nothing_is_an_empty_list() {
        assert_eq!(json(&document(&[])), "{\n  \"version\": 1,\n  \"slices\": []\n}\n");
    }
}
