//! A large cluster.

use std::collections::BTreeSet;

use contract::Uuid;
use contract::node::RegisteredGpu;
use contract::resources::{Domain, NameStyle};
use scheduler_ext::ledger::{Ledger, PodFacts};
use scheduler_ext::request::Reader;
use serde_json::{Value, json};

use crate::pods;

const GPUS: u8 = 8;

pub(crate) struct Cluster {
    pub(crate) ledger: Ledger,
    pub(crate) reader: Reader,
    names: Vec<String>,
}

impl Cluster {
    /// So many nodes of several models, and so many pods on them with slices of all sizes, so that hardly two nodes are alike.
    pub(crate) fn new(nodes: usize, pods: usize) -> Self {
        let reader = Reader::new(Domain::default(), NameStyle::Vgpu);
        let mut ledger = Ledger::new(reader.clone());
        let names: Vec<String> = (0..nodes).map(|node| format!("gpu-worker-{node:05}.example.org")).collect();
        for (number, name) in names.iter().enumerate() {
            ledger.note_node(&serde_json::from_value(node(number, name)).expect("a node"));
        }
        let mut cluster = Self { ledger, reader, names };
        let mut dice = Dice(1);
        (0..pods).for_each(|number| cluster.add(number, &mut dice));
        cluster
    }

    /// A pod on the next node.
    fn add(&mut self, number: usize, dice: &mut Dice) {
        let limits = pods::limits(1 + dice.below(2), 500 * (1 + dice.below(30)), 5 * dice.below(6));
        let pod = pods::pod(&format!("pod-{number}"), &[("main", limits)], &json!({}));
        let pod = serde_json::from_value(pod).expect("a pod");
        let ask = self.reader.read(&pod).expect("what can be had").expect("a vGPU");
        let facts = PodFacts::of(&pod).expect("an identity");
        let node = &self.names[number % self.names.len()];
        self.ledger.assume(&facts, &ask, node).expect("room");
        self.ledger.confirm(&facts.id.uid);
    }

    /// How many nodes there are of which each is unlike all others, in what they have or in what is used of it.
    pub(crate) fn different(&self) -> usize {
        let views = self.names.iter().map(|name| self.ledger.view(name).expect("devices"));
        let amounts = views.map(|node| {
            let devices = node.devices.iter();
            devices
                .map(|device| format!("{} {:?} {:?}", device.model, device.capacity, device.used))
                .collect()
        });
        amounts.collect::<BTreeSet<Vec<String>>>().len()
    }

    /// Kube-scheduler's question for a pod, with all nodes.
    pub(crate) fn request(&self, pod: &Value) -> Vec<u8> {
        json!({"Pod": pod, "Nodes": null, "NodeNames": self.names}).to_string().into_bytes()
    }
}

/// Numbers as they come, the same in each run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: u32) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        u32::try_from(self.0 >> 33).expect("31 bits") % end
    }
}

/// Models, and MiB of each.
const MODELS: [(&str, u32); 4] = [
    ("NVIDIA H100 80GB HBM3", 81_559),
    ("NVIDIA H200", 143_771),
    ("NVIDIA A40", 46_068),
    ("NVIDIA A800-SXM4-80GB", 81_920),
];

fn node(number: usize, name: &str) -> Value {
    let (model, memory) = MODELS[number % MODELS.len()];
    let gpu = |index: u8| {
        let mut uuid = [index; 16];
        uuid[..8].copy_from_slice(&number.to_be_bytes());
        RegisteredGpu {
            model: model.to_owned(),
            numa: Some(u32::from(index) / 4),
            ..sample_node::gpu(index.into(), Uuid(uuid), memory)
        }
    };
    let mut node = sample_node::node(name, (0..GPUS).map(gpu).collect());
    node["metadata"]["labels"] = json!({"kubernetes.io/hostname": name});
    node
}
