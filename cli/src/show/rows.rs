//! One row for each process and GPU, and one for each slice of which there is nothing else to show.

use contract::Bytes;
use monitor::slices::{LastRefusal, Limit, Slice, SliceGpu, SliceProcess, Usage};

use super::{escaped, short};

/// A line of a list of processes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    /// The slice's name, short.
    pub(crate) slice: String,
    pub(crate) pid: Option<u32>,
    pub(crate) state: State,
    /// The GPU, and what the process holds of it.
    pub(crate) share: Option<Share>,
    pub(crate) last_refusal: Option<LastRefusal>,
    /// Command line, or why there is none, safe to print.
    pub(crate) command: String,
}

/// What a row is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    Alive,
    Dead,
    /// A slice without processes.
    Idle,
    /// A slice that cannot be read.
    Broken,
}

/// What one process holds of one GPU.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Share {
    /// Index and the beginning of the UUID.
    pub(crate) gpu: String,
    pub(crate) usage: Usage,
    pub(crate) limit: Limit,
}

/// The rows of all slices, in their order.
pub(crate) fn rows(slices: &[Slice]) -> Vec<Row> {
    slices.iter().flat_map(of_slice).collect()
}

fn of_slice(slice: &Slice) -> Vec<Row> {
    let bare = |state, command| Row {
        slice: label(slice),
        pid: None,
        state,
        share: None,
        last_refusal: None,
        command,
    };
    let mut rows: Vec<Row> = slice.processes.iter().flat_map(|process| of_process(slice, process)).collect();
    if let Some(fault) = &slice.fault {
        rows.push(bare(State::Broken, format!("(broken: {})", escaped(fault))));
    } else if rows.is_empty() {
        rows.push(bare(State::Idle, "(no process has used a GPU yet)".to_owned()));
    }
    rows
}

fn of_process(slice: &Slice, process: &SliceProcess) -> Vec<Row> {
    let row = |share, last_refusal| Row {
        slice: label(slice),
        pid: process.pid.or(Some(process.own_pid)).filter(|pid| *pid != 0),
        state: if process.alive { State::Alive } else { State::Dead },
        share,
        last_refusal,
        command: command(process),
    };
    let used = slice.gpus.iter().zip(&process.usage).filter(|(_, usage)| !usage.is_nothing());
    // Where the GPU of the last refusal is not known, it may have been any.
    let was_refused = |gpu: &SliceGpu| process.last_refused_gpu.is_none_or(|refused| refused == gpu.uuid);
    let last = |gpu: &SliceGpu| process.last_refusal.filter(|_| was_refused(gpu));
    let rows: Vec<Row> = used.map(|(gpu, usage)| row(Some(share(gpu, *usage)), last(gpu))).collect();
    if rows.is_empty() { vec![row(None, process.last_refusal)] } else { rows }
}

fn share(gpu: &SliceGpu, usage: Usage) -> Share {
    Share { gpu: gpu_label(gpu), usage, limit: gpu.limit }
}

/// A GPU by its index, `?` where it is not known, and the beginning of its UUID.
pub(crate) fn gpu_label(gpu: &SliceGpu) -> String {
    let index = gpu.index.map_or_else(|| "?".to_owned(), |index| index.to_string());
    format!("{index} {}", short(gpu.uuid))
}

/// A run by its supervisor alone: nobody types its random number.
pub(crate) fn label(slice: &Slice) -> String {
    slice.supervisor.map_or_else(|| escaped(&slice.name), |pid| format!("run-{pid}"))
}

/// A line for each of the slices whose `vgpu run` has ended before its processes.
pub(crate) fn unsupervised(slices: &[Slice]) -> impl Iterator<Item = String> {
    let has_ended = |slice: &&Slice| slice.supervisor.is_some() && !slice.is_supervised;
    slices.iter().filter(has_ended).map(|slice| {
        format!(
            "the vgpu run of slice {} has ended; what it started goes on under the same limits",
            label(slice)
        )
    })
}

fn command(process: &SliceProcess) -> String {
    match (&process.command, process.alive) {
        (_, false) => "(dead; what it holds goes back when it is needed)".to_owned(),
        (Some(command), true) => escaped(command),
        (None, true) => "(in a PID namespace that cannot be seen from here)".to_owned(),
    }
}

impl Row {
    /// What the row's process holds of its GPU now.
    pub(crate) fn used(&self) -> Bytes {
        self.share.as_ref().map_or(Bytes::ZERO, |share| share.usage.used)
    }

    /// Requests refused on its GPU.
    pub(crate) fn refused(&self) -> u64 {
        self.share.as_ref().map_or(0, |share| share.usage.refused)
    }
}
