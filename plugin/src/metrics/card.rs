//! Metrics of GPUs.

use contract::Bytes;
use placement::Amount;

use super::slice::Slice;
use super::text::Kind::Gauge;
use super::text::{Measured, Metric, Value};
use crate::claims::capacity::Footprint;
use crate::inventory::GpuUse;
use crate::node::view::{Offer, View};

/// A GPU.
#[derive(Clone, Debug)]
pub struct Card {
    /// What it is and what is offered of it.
    pub offer: Offer,
    /// Containers that may share it.
    pub parts: u32,
    /// What pods have of it.
    pub claimed: Amount,
    /// Containers that have some of it.
    pub containers: usize,
    /// What those account for.
    pub accounted: Bytes,
    /// What the driver sees; `None` where it does not tell.
    pub using: Option<GpuUse>,
}

impl Card {
    /// Every GPU of `view`, as `slices` and the driver's `uses` have it.
    pub(super) fn all(view: &View, claimed: &Footprint, slices: &[Slice], uses: &[GpuUse]) -> Vec<Self> {
        let card = |offer: &Offer| {
            let uuid = offer.member.gpu.uuid;
            let own = || slices.iter().filter(|slice| slice.gpu == uuid);
            Self {
                offer: offer.clone(),
                parts: view.settings.split_count,
                claimed: claimed.get(&uuid).copied().unwrap_or_default(),
                containers: own().count(),
                accounted: own().fold(Bytes::ZERO, |sum, slice| sum.saturating_add(slice.accounted())),
                using: uses.iter().find(|using| using.uuid == uuid).cloned(),
            }
        };
        view.offers.iter().map(card).collect()
    }
}

const fn mib(count: u64) -> Value {
    Value::Whole(count.saturating_mul(1 << 20))
}

impl Measured for Card {
    const LABELS: &'static [&'static str] = &["gpu_uuid", "gpu_index"];
    const METRICS: &'static [Metric<Self>] = &[
        Metric {
            name: "vgpu_gpu_healthy",
            kind: Gauge,
            help: "1: the GPU can be given to containers. 0: it cannot; an event of the node says why.",
            value: |card| Some(Value::of(card.offer.fault().is_none())),
        },
        Metric {
            name: "vgpu_gpu_memory_total_bytes",
            kind: Gauge,
            help: "Memory of the GPU.",
            value: |card| Some(card.offer.member.gpu.memory.into()),
        },
        Metric {
            name: "vgpu_gpu_memory_used_bytes",
            kind: Gauge,
            help: "Memory that programs use, as the driver sees it, whoever they are.",
            value: |card| Some(card.using.as_ref()?.used.into()),
        },
        Metric {
            name: "vgpu_gpu_memory_reserved_bytes",
            kind: Gauge,
            help: "Memory that the driver keeps for itself.",
            value: |card| Some(card.using.as_ref()?.reserved.into()),
        },
        Metric {
            name: "vgpu_gpu_memory_accounted_bytes",
            kind: Gauge,
            help: "Memory that containers account for, each no more than its limit.",
            value: |card| Some(card.accounted.into()),
        },
        Metric {
            name: "vgpu_gpu_memory_unaccounted_bytes",
            kind: Gauge,
            help: "Memory used that no container accounts for: programs outside of containers, containers without a slice, or such as go past the library.",
            value: |card| Some(card.using.as_ref()?.used.saturating_sub(card.accounted).into()),
        },
        Metric {
            name: "vgpu_gpu_memory_claimable_bytes",
            kind: Gauge,
            help: "Memory that may be claimed, all pods together.",
            value: |card| Some(mib(card.offer.memory.0.get().into())),
        },
        Metric {
            name: "vgpu_gpu_memory_claimed_bytes",
            kind: Gauge,
            help: "Memory that pods have claimed.",
            value: |card| Some(mib(card.claimed.memory)),
        },
        Metric {
            name: "vgpu_gpu_compute_claimable_ratio",
            kind: Gauge,
            help: "GPU time that may be claimed, all pods together; 1 is all there is.",
            value: |card| Some(Value::percent(card.offer.cores.into())),
        },
        Metric {
            name: "vgpu_gpu_compute_claimed_ratio",
            kind: Gauge,
            help: "GPU time that pods have claimed.",
            value: |card| Some(Value::percent(card.claimed.cores)),
        },
        Metric {
            name: "vgpu_gpu_utilization_ratio",
            kind: Gauge,
            help: "Part of the last moment in which the GPU worked, as the driver tells it.",
            value: |card| Some(Value::percent(card.using.as_ref()?.busy?.into())),
        },
        Metric {
            name: "vgpu_gpu_containers",
            kind: Gauge,
            help: "Containers that have a slice of the GPU.",
            value: |card| Some(Value::Whole(u64::try_from(card.containers).unwrap_or(u64::MAX))),
        },
        Metric {
            name: "vgpu_gpu_containers_max",
            kind: Gauge,
            help: "Containers that may share the GPU.",
            value: |card| Some(Value::Whole(card.parts.into())),
        },
    ];

    fn labels(&self) -> Vec<String> {
        let gpu = &self.offer.member.gpu;
        vec![gpu.uuid.to_string(), gpu.index.to_string()]
    }
}

/// What a GPU is: UUID, index, model, PCI address.
pub struct Model([String; 4]);

impl Model {
    /// What `card` is.
    #[must_use]
    pub fn of(card: &Card) -> Self {
        let gpu = &card.offer.member.gpu;
        Self([gpu.uuid.to_string(), gpu.index.to_string(), gpu.model.clone(), gpu.pci.clone()])
    }
}

impl Measured for Model {
    const LABELS: &'static [&'static str] = &["gpu_uuid", "gpu_index", "model", "pci_address"];
    const METRICS: &'static [Metric<Self>] = &[Metric {
        name: "vgpu_gpu_info",
        kind: Gauge,
        help: "What the GPU is; always 1.",
        value: |_| Some(Value::Whole(1)),
    }];

    fn labels(&self) -> Vec<String> {
        self.0.to_vec()
    }
}
