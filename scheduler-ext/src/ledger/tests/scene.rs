//! Nodes and pods for tests.

use std::collections::BTreeMap;

use contract::claim::{Claim, ClaimedDevice, Mib};
use contract::resources::{Domain, NameStyle};
use contract::{Percent, Uuid};
use serde_json::{Value, json};

use super::super::*;
use crate::request::Ask;

pub(crate) fn reader() -> Reader {
    Reader::new(Domain::default(), NameStyle::Vgpu)
}

pub(crate) fn uuid(index: u8) -> Uuid {
    Uuid([index; 16])
}

/// A container's limits. No memory and no time are left out.
pub(crate) fn asks(number: u64, memory: u64, cores: u64) -> Value {
    let mut limits = json!({"nvidia.com/vgpu-number": number.to_string()});
    for (name, amount) in [("nvidia.com/vgpu-memory", memory), ("nvidia.com/vgpu-cores", cores)] {
        if amount > 0 {
            limits[name] = json!(amount.to_string());
        }
    }
    limits
}

/// A node with GPUs of so much memory, each shared by at most ten.
pub(crate) fn node(name: &str, memory: &[u32]) -> Value {
    let gpus = (0..).zip(memory).map(|(index, memory)| sample_node::gpu(index.into(), uuid(index), *memory));
    sample_node::node(name, gpus.collect())
}

/// Devices by number, memory and time.
pub(crate) type Devices<'a> = &'a [(u8, u32, u8)];

pub(crate) fn claim_of(uid: &str, node: &str, containers: &[(&str, Devices<'_>)]) -> Claim {
    let containers: BTreeMap<_, Vec<ClaimedDevice>> = containers
        .iter()
        .map(|(name, devices)| {
            let device = |(index, memory, cores): &(u8, u32, u8)| ClaimedDevice {
                uuid: uuid(*index),
                memory: Mib::new(*memory).unwrap(),
                cores: Percent::new(*cores),
            };
            (name.parse().unwrap(), devices.iter().map(device).collect())
        })
        .collect();
    Claim::new(uid.parse().unwrap(), node.to_owned(), containers).unwrap()
}

/// For the container `main`.
pub(crate) fn claim(uid: &str, node: &str, devices: Devices<'_>) -> Claim {
    claim_of(uid, node, &[("main", devices)])
}

/// A pod whose container `main` has these limits.
pub(crate) fn pod(uid: &str, limits: &Value) -> Value {
    json!({
        "metadata": {"name": uid, "namespace": "team", "uid": uid},
        "spec": {"containers": [{"name": "main", "resources": {"limits": limits}}]},
        "status": {"phase": "Pending"},
    })
}

/// The same, bound with a claim to the claim's node.
pub(crate) fn bound(uid: &str, limits: &Value, claim: &Claim, phase: &str) -> Value {
    let mut pod = pod(uid, limits);
    pod["metadata"]["annotations"] = json!({"nvidia.com/vgpu-claim": claim.encode()});
    pod["spec"]["nodeName"] = json!(claim.node());
    pod["status"]["phase"] = json!(phase);
    pod
}

pub(crate) fn facts(uid: &str) -> PodFacts {
    PodFacts::of(&serde_json::from_value(pod(uid, &json!({}))).unwrap()).unwrap()
}

pub(crate) struct World {
    pub(crate) ledger: Ledger,
}

impl World {
    pub(crate) fn new() -> Self {
        Self { ledger: Ledger::new(reader()) }
    }

    /// One that is filled with nodes of so much memory and with these pods.
    pub(crate) fn filled<'a>(
        nodes: &[&str],
        memory: &[u32],
        pods: impl IntoIterator<Item = &'a Value>,
    ) -> Self {
        let mut world = Self::new();
        nodes.iter().for_each(|node| world.node(node, memory));
        pods.into_iter().for_each(|pod| world.pod(pod));
        world
    }

    pub(crate) fn node(&mut self, name: &str, memory: &[u32]) {
        self.note_node(&node(name, memory));
    }

    pub(crate) fn note_node(&mut self, node: &Value) {
        self.ledger.note_node(&serde_json::from_value(node.clone()).unwrap());
    }

    pub(crate) fn pod(&mut self, pod: &Value) {
        self.ledger.note_pod(&serde_json::from_value(pod.clone()).unwrap());
    }

    pub(crate) fn gone(&mut self, uid: &str) {
        self.ledger.forget_pod(&uid.parse().unwrap());
    }

    /// What the containers of a pod ask for.
    pub(crate) fn ask_of(&self, containers: &[(&str, Value)]) -> Ask {
        let containers: Vec<Value> = containers
            .iter()
            .map(|(name, limits)| json!({"name": name, "resources": {"limits": limits}}))
            .collect();
        let pod = json!({"metadata": {"name": "p"}, "spec": {"containers": containers}});
        reader().read(&serde_json::from_value(pod).unwrap()).unwrap().unwrap()
    }

    pub(crate) fn assume(
        &mut self,
        uid: &str,
        node: &str,
        limits: &Value,
    ) -> Result<Reservation, AssumeError> {
        let ask = self.ask_of(&[("main", limits.clone())]);
        self.ledger.assume(&facts(uid), &ask, node)
    }

    /// Slots, memory and time that are used of each device.
    pub(crate) fn used(&self, node: &str) -> Vec<(u64, u64, u64)> {
        let devices = &self.ledger.view(node).unwrap().devices;
        devices.iter().map(|device| (device.used.slots, device.used.memory, device.used.cores)).collect()
    }
}
