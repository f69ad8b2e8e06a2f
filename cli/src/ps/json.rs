//! The schema of `vgpu ps --json`. Fields are added, never renamed or given another meaning within one version.

use monitor::slices::{Limit, Slice, SliceGpu, SliceProcess, Usage};
use serde::Serialize;

/// What the whole document has.
const VERSION: u32 = 1;

#[derive(Serialize)]
struct Document<'a> {
    version: u32,
    slices: Vec<SliceJson<'a>>,
}

#[derive(Serialize)]
struct SliceJson<'a> {
    name: &'a str,
    supervisor: Option<u32>,
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
    used_bytes: u64,
    refused_to_departed: u64,
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
    gpus: Vec<UsageJson>,
}

#[derive(Serialize)]
struct UsageJson {
    uuid: String,
    used_bytes: u64,
    peak_bytes: u64,
    context_bytes: u64,
    refused: u64,
}

/// The slices as a document, with a newline at its end.
pub(super) fn document(slices: &[Slice]) -> String {
    let document = Document { version: VERSION, slices: slices.iter().map(slice).collect() };
    // Its keys are texts and its values have no way to fail.
    serde_json::to_string_pretty(&document).unwrap_or_default() + "\n"
}

fn slice(slice: &Slice) -> SliceJson<'_> {
    let gpus = slice.gpus.iter().enumerate().map(|(place, each)| gpu(each, refused_to_members(slice, place)));
    SliceJson {
        name: &slice.name,
        supervisor: slice.supervisor,
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
        used_bytes: gpu.used.0,
        refused_to_departed: gpu.refusals.total().saturating_sub(refused_to_members),
    }
}

fn member<'a>(process: &'a SliceProcess, gpus: &[SliceGpu]) -> ProcessJson<'a> {
    let usage = |(gpu, usage): (&SliceGpu, &Usage)| UsageJson {
        uuid: gpu.uuid.to_string(),
        used_bytes: usage.used.0,
        peak_bytes: usage.peak.0,
        context_bytes: usage.overhead.0,
        refused: usage.refused,
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
        last_refused_unix_ms: process.last_refusal.map(|last| last.at / 1_000_000),
        gpus: used.map(usage).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::show::samples::slices;

    #[test]
    fn the_schema_is_stable() {
        let text = document(&slices());
        assert_eq!(text, include_str!("golden/document.json"));
    }

    #[test]
    fn nothing_is_an_empty_list() {
        assert_eq!(document(&[]), "{\n  \"version\": 1,\n  \"slices\": []\n}\n");
    }
}
