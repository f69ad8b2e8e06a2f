//! Metrics of containers.

use contract::{Bytes, Percent, Permille, Uuid};
use monitor::meter::GpuReading;

use super::attribution::SeenUse;
use super::text::Kind::{Counter, Gauge};
use super::text::{Measured, Metric, Value};
use crate::prepare::Holding;

/// A container.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Container {
    /// Namespace, pod, its uid, container.
    pub names: [String; 4],
    /// Processes that live; `None` where its region cannot be read.
    pub processes: Option<usize>,
    /// Whether its region can be read and adds up.
    pub is_readable: bool,
}

/// A container's part of a GPU.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slice {
    /// As of its container.
    pub names: [String; 4],
    /// The GPU.
    pub gpu: Uuid,
    /// Its place in the driver's order.
    pub index: Option<u32>,
    /// The most memory that it may hold.
    pub limit: Bytes,
    /// The part of the GPU's time that it was given.
    pub cores: Option<Percent>,
    /// What its region says; `None` where that cannot be read.
    pub reading: Option<GpuReading>,
    /// What the driver sees with its processes; `None` where that cannot be told.
    pub seen: Option<SeenUse>,
}

/// What tells a container from the others.
#[must_use]
pub fn names(holding: &Holding) -> [String; 4] {
    let Holding { owner, namespace, pod, .. } = holding;
    [namespace.clone(), pod.clone(), owner.pod.to_string(), owner.container.to_string()]
}

impl Slice {
    /// What of its ledger can be believed: a tenant may write there what it likes, but it has no more than its limit.
    #[must_use]
    pub fn accounted(&self) -> Bytes {
        self.reading.map_or(Bytes::ZERO, |reading| reading.used.min(self.limit))
    }

    fn unaccounted(&self) -> Option<Bytes> {
        self.seen.map(|seen| seen.memory.saturating_sub(self.accounted()))
    }

    fn read(&self, value: fn(&GpuReading) -> Value) -> Option<Value> {
        self.reading.as_ref().map(value)
    }
}

impl Measured for Container {
    const LABELS: &'static [&'static str] = &["namespace", "pod", "pod_uid", "container"];
    const METRICS: &'static [Metric<Self>] = &[
        Metric {
            name: "vgpu_container_processes",
            kind: Gauge,
            help: "Living processes that use a GPU through the library.",
            value: |container| Some(Value::Whole(u64::try_from(container.processes?).unwrap_or(u64::MAX))),
        },
        Metric {
            name: "vgpu_container_region_readable",
            kind: Gauge,
            help: "1: the container's account can be read and adds up. 0: a process of it has damaged it; its other metrics mean nothing or are missing.",
            value: |container| Some(Value::of(container.is_readable)),
        },
    ];

    fn labels(&self) -> Vec<String> {
        self.names.to_vec()
    }
}

impl Measured for Slice {
    const LABELS: &'static [&'static str] =
        &["namespace", "pod", "pod_uid", "container", "gpu_uuid", "gpu_index"];
    const METRICS: &'static [Metric<Self>] = &[
        Metric {
            name: "vgpu_container_memory_limit_bytes",
            kind: Gauge,
            help: "Memory that the container may hold.",
            value: |slice| Some(slice.limit.into()),
        },
        Metric {
            name: "vgpu_container_memory_used_bytes",
            kind: Gauge,
            help: "Memory that its living processes hold, as they account for it.",
            value: |slice| slice.read(|reading| reading.used.into()),
        },
        Metric {
            name: "vgpu_container_memory_overhead_bytes",
            kind: Gauge,
            help: "Part of the memory used that is contexts and the like.",
            value: |slice| slice.read(|reading| reading.overhead.into()),
        },
        Metric {
            name: "vgpu_container_memory_peak_bytes",
            kind: Gauge,
            help: "The most memory that its processes have held together since the container was started.",
            value: |slice| slice.read(|reading| reading.peak.into()),
        },
        Metric {
            name: "vgpu_container_memory_unaccounted_bytes",
            kind: Gauge,
            help: "Memory that the driver sees with its processes beyond what they account for: something goes past the library. Missing where the agent cannot see the processes.",
            value: |slice| slice.unaccounted().map(Value::from),
        },
        Metric {
            name: "vgpu_container_memory_refusals_total",
            kind: Counter,
            help: "Requests for memory that were refused.",
            value: |slice| slice.read(|reading| Value::Whole(reading.counters.refusals)),
        },
        Metric {
            name: "vgpu_container_compute_limit_ratio",
            kind: Gauge,
            help: "Part of the GPU's time that the container was given. Missing where there is no limit.",
            value: |slice| slice.cores.map(|cores| Permille::from(cores).into()),
        },
        Metric {
            name: "vgpu_container_compute_share_ratio",
            kind: Gauge,
            help: "Part of the GPU's time that it may use now, as its processes have last seen it.",
            value: |slice| slice.reading?.share.map(Value::from),
        },
        Metric {
            name: "vgpu_container_compute_utilization_ratio",
            kind: Gauge,
            help: "Part of the last two seconds in which the GPU worked for its processes, as the driver tells it, also where there is no limit. Missing where the agent cannot see the processes.",
            value: |slice| Some(Value::percent(slice.seen?.busy?)),
        },
        Metric {
            name: "vgpu_container_compute_busy_seconds_total",
            kind: Counter,
            help: "GPU time used, where that is measured: while there is a limit. Its rate is the share achieved.",
            value: |slice| slice.read(|reading| Value::Seconds(reading.counters.gpu_time)),
        },
        Metric {
            name: "vgpu_container_compute_throttled_seconds_total",
            kind: Counter,
            help: "Time that its threads have waited for their turn, all together.",
            value: |slice| slice.read(|reading| Value::Seconds(reading.counters.throttled)),
        },
        Metric {
            name: "vgpu_container_compute_waiting_threads",
            kind: Gauge,
            help: "Threads that wait for their turn now.",
            value: |slice| slice.read(|reading| Value::Whole(reading.waiting.into())),
        },
        Metric {
            name: "vgpu_container_compute_launches_total",
            kind: Counter,
            help: "Launches, where that is measured: while there is a limit.",
            value: |slice| slice.read(|reading| Value::Whole(reading.counters.launches)),
        },
    ];

    fn labels(&self) -> Vec<String> {
        let gpu = [self.gpu.to_string(), self.index.map_or_else(String::new, |index| index.to_string())];
        self.names.iter().cloned().chain(gpu).collect()
    }
}
