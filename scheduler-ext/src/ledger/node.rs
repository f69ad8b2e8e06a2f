//! What matters of a node.

use std::collections::BTreeMap;

use contract::node::{Connection, NodeRegistration, NodeTopology, RegisteredGpu, Way};
use contract::quantity;
use contract::{Foreign, Uuid};
use placement::{Amount, Device, Link, Links, State};

use super::fault::NodeFault;
use crate::api::{Node, Taint};
use crate::request::Reader;

/// Names under which NVIDIA's own plugin gives out whole GPUs.
const OTHER_OFFERS: [&str; 2] = ["nvidia.com/gpu", "nvidia.com/gpu.shared"];

/// What a node is and has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeFacts {
    /// Its name.
    pub name: String,
    /// Its labels.
    pub labels: BTreeMap<String, String>,
    /// What keeps pods away.
    pub taints: Vec<Taint>,
    /// Whether no new pods are to come.
    pub is_cordoned: bool,
    /// Its GPUs, or why they are not given out.
    pub(super) offer: Result<Offer, NodeFault>,
}

/// The GPUs of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Offer {
    pub(super) node: placement::Node,
    /// The identities of its devices, in its order.
    pub(super) uuids: Vec<Uuid>,
}

impl NodeFacts {
    /// Those of `node`; `None` for an object without a name.
    #[must_use]
    pub fn read(node: &Node, reader: &Reader) -> Option<Self> {
        Some(Self {
            name: node.metadata.name.clone()?,
            labels: node.metadata.labels.clone().unwrap_or_default(),
            taints: node.spec.taints.clone(),
            is_cordoned: node.spec.unschedulable,
            offer: offer(node, reader),
        })
    }
}

fn offer(node: &Node, reader: &Reader) -> Result<Offer, NodeFault> {
    let amount = |name: &str| {
        let quantity = node.status.allocatable.get(name);
        quantity.and_then(|quantity| quantity::whole(&quantity.0).ok()).unwrap_or(0)
    };
    if !node.is_ready() {
        return Err(NodeFault::NotReady);
    }
    if amount(&reader.names.number) == 0 {
        return Err(NodeFault::NotEnabled);
    }
    let is_other = |name: &&str| **name != reader.names.number && amount(name) > 0;
    if let Some(name) = OTHER_OFFERS.iter().find(|name| is_other(name)) {
        return Err(NodeFault::OfferedTwice((*name).to_owned()));
    }
    let domain = &reader.domain;
    let register = node.annotation(&domain.node_register()).ok_or(NodeFault::NotRegistered)?;
    let config = node.annotation(&domain.node_config()).ok_or(NodeFault::NoConfiguration)?;
    let registration = NodeRegistration::from_annotations(register, config)
        .map_err(|error| NodeFault::Registration(error.to_string()))?;
    let topology = node.annotation(&domain.node_topology()).filter(|_| reader.has_topology);
    let topology = topology.map(NodeTopology::from_annotation).transpose();
    let topology = topology.map_err(|error| NodeFault::Topology(error.to_string()))?.unwrap_or_default();
    offered(registration, &topology)
}

fn offered(registration: NodeRegistration, topology: &NodeTopology) -> Result<Offer, NodeFault> {
    if registration.memory_factor == 0 {
        return Err(NodeFault::MemoryFactor);
    }
    if registration.gpus.is_empty() {
        return Err(NodeFault::NotRegistered);
    }
    let mut gpus = registration.gpus;
    gpus.sort_by_key(|gpu| gpu.index);
    if let Some([_, twice]) = gpus.array_windows().find(|[one, other]| one.index == other.index) {
        return Err(NodeFault::Registration(format!("GPU {} is there twice", twice.index)));
    }
    let uuids: Vec<Uuid> = gpus.iter().map(|gpu| gpu.uuid).collect();
    let twice = uuids.iter().enumerate().find(|(place, uuid)| uuids[..*place].contains(uuid));
    if let Some((_, uuid)) = twice {
        return Err(NodeFault::Registration(format!("{uuid} is there twice")));
    }
    let node = placement::Node {
        links: links(&gpus, topology),
        memory_factor: registration.memory_factor.into(),
        is_memory_virtual: registration.memory_scaling > 1000,
        devices: gpus.into_iter().map(device).collect(),
    };
    Ok(Offer { node, uuids })
}

fn device(gpu: RegisteredGpu) -> Device {
    Device {
        uuid: gpu.uuid.to_string(),
        model: Foreign(&gpu.model).to_string(),
        capacity: Amount {
            slots: gpu.split_count.into(),
            memory: gpu.memory.into(),
            cores: gpu.cores.into(),
            is_exclusive: false,
        },
        used: Amount::default(),
        numa: gpu.numa,
        state: match (gpu.mig, gpu.healthy) {
            (true, _) => State::Mig,
            (false, false) => State::Unhealthy,
            (false, true) => State::Usable,
        },
    }
}

fn links(gpus: &[RegisteredGpu], topology: &NodeTopology) -> Links {
    let mut links = Links::unknown(gpus.len());
    let place = |index: u32| gpus.iter().position(|gpu| gpu.index == index);
    for (one, peers) in &topology.0 {
        for (other, connection) in peers {
            if let (Some(one), Some(other)) = (place(*one), place(*other)) {
                links.connect(one, other, link(*connection));
            }
        }
    }
    links
}

fn link(connection: Connection) -> Link {
    if connection.nvlinks > 0 {
        return Link::NvLink(u8::try_from(connection.nvlinks).unwrap_or(u8::MAX));
    }
    match connection.way {
        None => Link::Unknown,
        Some(Way::CrossCpu) => Link::System,
        Some(Way::SameCpu) => Link::Socket,
        Some(Way::HostBridge) => Link::HostBridge,
        Some(Way::SeveralSwitches) => Link::Switches,
        Some(Way::OneSwitch) => Link::Switch,
        Some(Way::SameBoard) => Link::Board,
    }
}
