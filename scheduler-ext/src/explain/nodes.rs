//! What is left of each GPU.

use std::fmt;

use placement::{Amount, Device, State};
use serde::Serialize;

use super::View;
use crate::ledger::NodeFault;

/// All nodes with GPUs to share, and those that should have some.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Nodes(pub Vec<NodeLine>);

/// A node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NodeLine {
    /// Its name.
    pub node: String,
    /// Why it takes no pods.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fault: Option<String>,
    /// Its GPUs.
    pub gpus: Vec<Gpu>,
}

/// A GPU, and what is claimed of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Gpu {
    uuid: String,
    model: String,
    /// `usable`, `unhealthy` or `mig`.
    state: &'static str,
    memory: Use,
    cores: Use,
    slots: Use,
    exclusive: bool,
}

/// So much of so much.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
struct Use {
    used: u64,
    all: u64,
}

impl Nodes {
    /// What there is to say of these; of nodes without GPUs to share, nothing.
    #[must_use]
    pub fn new(nodes: &[(&str, View<'_>)]) -> Self {
        let has_gpus =
            |view: &View<'_>| !matches!(view, Err(NodeFault::NotEnabled | NodeFault::NotRegistered));
        let nodes = nodes.iter().filter(|(_, view)| has_gpus(view));
        let line = |(name, view): &(&str, View<'_>)| NodeLine {
            node: (*name).to_owned(),
            fault: view.err().map(ToString::to_string),
            gpus: view.as_ref().map(|node| node.devices.iter().map(Gpu::new).collect()).unwrap_or_default(),
        };
        Self(nodes.map(line).collect())
    }
}

impl Gpu {
    fn new(device: &Device) -> Self {
        let of =
            |amount: fn(&Amount) -> u64| Use { used: amount(&device.used), all: amount(&device.capacity) };
        Self {
            uuid: device.uuid.clone(),
            model: device.model.clone(),
            state: match device.state {
                State::Usable => "usable",
                State::Unhealthy => "unhealthy",
                State::Mig => "mig",
            },
            memory: of(|amount| amount.memory),
            cores: of(|amount| amount.cores),
            slots: of(|amount| amount.slots),
            exclusive: device.used.is_exclusive,
        }
    }
}

impl fmt::Display for Use {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.used, self.all)
    }
}

impl fmt::Display for Nodes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return writeln!(f, "no node offers GPUs to share: is the node agent running?");
        }
        let (mut devices, mut closed) = (Vec::new(), Vec::new());
        for line in &self.0 {
            closed.extend(line.fault.as_ref().map(|fault| format!("{}: {fault}", line.node)));
            devices.extend(line.gpus.iter().map(|gpu| row(&line.node, gpu)));
        }
        let head = ["NODE", "GPU", "MODEL", "MEMORY (MiB)", "CORES (%)", "SLICES", ""].map(str::to_owned);
        let rows: Vec<[String; 7]> = std::iter::once(head).chain(devices).collect();
        let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
        let widths: [usize; 7] = std::array::from_fn(width);
        for row in rows.iter().filter(|_| rows.len() > 1) {
            let cells = row.iter().zip(widths).map(|(cell, width)| format!("{cell:width$}"));
            writeln!(f, "{}", cells.collect::<Vec<_>>().join("  ").trim_end())?;
        }
        closed.iter().try_for_each(|line| writeln!(f, "{line}"))
    }
}

fn row(node: &str, gpu: &Gpu) -> [String; 7] {
    let remark = match (gpu.state, gpu.exclusive) {
        ("usable", true) => "used exclusively",
        ("usable", false) => "",
        (state, _) => state,
    };
    [
        node.to_owned(),
        gpu.uuid.clone(),
        gpu.model.clone(),
        gpu.memory.to_string(),
        gpu.cores.to_string(),
        gpu.slots.to_string(),
        remark.to_owned(),
    ]
}
