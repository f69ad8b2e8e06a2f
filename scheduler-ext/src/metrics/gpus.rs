//! How much of each GPU may be claimed and is.

use std::fmt;

use placement::{Device, State};
use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::gauge::ConstGauge;

use super::labels::Gpu;
use crate::ledger::SharedLedger;

/// Reads the ledger when it is asked.
#[derive(Debug)]
pub(super) struct Gpus(SharedLedger);

/// A metric: name, help, and the value for a device.
type Row = (&'static str, &'static str, fn(&Device) -> f64);

const ROWS: [Row; 7] = [
    ("gpu_memory_claimable_bytes", "Memory that may be claimed, all pods together.", |gpu| {
        bytes(gpu.capacity.memory)
    }),
    ("gpu_memory_claimed_bytes", "Memory that pods have claimed.", |gpu| bytes(gpu.used.memory)),
    (
        "gpu_compute_claimable_ratio",
        "GPU time that may be claimed, all pods together; 1 is all there is.",
        |gpu| ratio(gpu.capacity.cores),
    ),
    ("gpu_compute_claimed_ratio", "GPU time that pods have claimed.", |gpu| ratio(gpu.used.cores)),
    ("gpu_containers_max", "Containers that may share the GPU.", |gpu| number(gpu.capacity.slots)),
    ("gpu_containers", "Containers that have claimed a part of the GPU.", |gpu| number(gpu.used.slots)),
    (
        "gpu_usable",
        "1: the GPU can be given to pods. 0: it cannot: it is unhealthy, or has MIG enabled.",
        |gpu| number(u64::from(gpu.state == State::Usable)),
    ),
];

/// Exact up to 2⁵³, which is more than any GPU has.
#[expect(clippy::cast_precision_loss, reason = "see above")]
const fn number(amount: u64) -> f64 {
    amount as f64
}

fn bytes(mib: u64) -> f64 {
    number(mib) * f64::from(1 << 20)
}

fn ratio(percent: u64) -> f64 {
    number(percent) / 100.0
}

impl Gpus {
    pub(super) const fn new(ledger: SharedLedger) -> Self {
        Self(ledger)
    }

    /// All GPUs of nodes that take pods, by node and in its order. The ledger is held only as long as this takes.
    fn read(&self) -> Vec<(Gpu, [f64; ROWS.len()])> {
        let ledger = self.0.read();
        let open = ledger.nodes().filter_map(|node| Some((&node.facts.name, node.devices.ok()?)));
        let mut all: Vec<_> = open
            .flat_map(|(name, node)| node.devices.iter().map(move |device| (name, device)))
            .map(|(name, device)| {
                let gpu =
                    Gpu { node: name.clone(), gpu_uuid: device.uuid.clone(), model: device.model.clone() };
                (gpu, ROWS.map(|(_, _, value)| value(device)))
            })
            .collect();
        drop(ledger);
        all.sort_by(|(one, _), (other, _)| one.node.cmp(&other.node));
        all
    }
}

impl Collector for Gpus {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), fmt::Error> {
        let gpus = self.read();
        for (place, (name, help, _)) in ROWS.into_iter().enumerate() {
            let mut metric = encoder.encode_descriptor(name, help, None, MetricType::Gauge)?;
            for (gpu, values) in &gpus {
                ConstGauge::new(values[place]).encode(metric.encode_family(gpu)?)?;
            }
        }
        Ok(())
    }
}
