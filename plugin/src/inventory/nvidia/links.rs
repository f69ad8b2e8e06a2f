//! How devices are connected, as NVML tells it.

use std::collections::BTreeMap;

use contract::Uuid;
use contract::node::{Connection, Way};
use nvml_gaps::Nvml as Gaps;
use nvml_wrapper::enum_wrappers::device::TopologyLevel;
use nvml_wrapper::{Device, Nvml};

use crate::inventory::links::Links;

/// `NVML_NVLINK_MAX_LINKS`.
const NVLINKS_MAX: u32 = 18;

/// A device, and where its NVLinks end.
struct Node<'a> {
    device: Device<'a>,
    uuid: Uuid,
    pci: String,
    /// Addresses of the devices at the other ends, once for each link.
    peers: Vec<String>,
    /// Links to switches.
    switched: usize,
}

/// The links among all devices that answer.
pub(super) fn all(nvml: &Nvml, gaps: Option<&Gaps>) -> Links {
    let nodes: Vec<Node<'_>> =
        (0..nvml.device_count().unwrap_or(0)).filter_map(|index| Node::new(nvml, index, gaps)).collect();
    let of = |node: &Node<'_>| {
        let others = nodes.iter().filter(|other| other.uuid != node.uuid);
        others.map(|other| (other.uuid, node.connection(other))).collect::<BTreeMap<_, _>>()
    };
    Links(nodes.iter().map(|node| (node.uuid, of(node))).collect())
}

impl<'a> Node<'a> {
    fn new(nvml: &'a Nvml, index: u32, gaps: Option<&Gaps>) -> Option<Self> {
        let device = nvml.device_by_index(index).ok()?;
        let (uuid, pci) = (device.uuid().ok()?.parse().ok()?, address(device.pci_info().ok()?.bus_id));
        let (mut peers, mut switched) = (Vec::new(), 0);
        for link in 0..NVLINKS_MAX {
            let end = device.link_wrapper_for(link);
            if !end.is_active().is_ok_and(|active| active) {
                continue;
            }
            match gaps.map(|gaps| gaps.ends_at_switch(index, link)) {
                Some(Ok(true)) => switched += 1,
                _ => peers.extend(end.remote_pci_info().ok().map(|pci| address(pci.bus_id))),
            }
        }
        Some(Self { device, uuid, pci, peers, switched })
    }

    /// Of links through switches as many as the one of both has that has fewer.
    fn connection(&self, other: &Self) -> Connection {
        let direct = self.peers.iter().filter(|peer| **peer == other.pci).count();
        let nvlinks = if direct > 0 { direct } else { self.switched.min(other.switched) };
        let level = self.device.nvml().topology_common_ancestor(&self.device, &other.device);
        Connection { way: level.ok().map(way), nvlinks: u32::try_from(nvlinks).unwrap_or(NVLINKS_MAX) }
    }
}

fn address(text: String) -> String {
    text.to_lowercase()
}

fn way(level: TopologyLevel) -> Way {
    match level {
        TopologyLevel::Internal => Way::SameBoard,
        TopologyLevel::Single => Way::OneSwitch,
        TopologyLevel::Multiple => Way::SeveralSwitches,
        TopologyLevel::HostBridge => Way::HostBridge,
        TopologyLevel::Node => Way::SameCpu,
        TopologyLevel::System => Way::CrossCpu,
    }
}
