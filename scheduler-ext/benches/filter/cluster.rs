//! A large cluster.

use contract::Uuid;
use contract::node::{NodeRegistration, RegisteredGpu};
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
    /// So many nodes, and so many pods on them as they come, each with a slice of a GPU or two.
    pub(crate) fn new(nodes: usize, pods: usize) -> Self {
        let reader = Reader::new(Domain::default(), NameStyle::Vgpu);
        let mut ledger = Ledger::new(reader.clone(), false);
        let names: Vec<String> = (0..nodes).map(|node| format!("gpu-worker-{node:05}.example.org")).collect();
        for (number, name) in names.iter().enumerate() {
            ledger.note_node(&serde_json::from_value(node(number, name)).expect("a node"));
        }
        for number in 0..pods {
            let limits = match number % 4 {
                0 => pods::limits(1, 8192, 20),
                1 => pods::limits(1, 20_000, 0),
                2 => pods::limits(2, 10_000, 30),
                _ => pods::limits(1, 40_000, 50),
            };
            let pod = pods::pod(&format!("pod-{number}"), &[("main", limits)], &json!({}));
            let pod = serde_json::from_value(pod).expect("a pod");
            let ask = reader.read(&pod).expect("what can be had").expect("a vGPU");
            let facts = PodFacts::of(&pod).expect("an identity");
            ledger.assume(&facts, &ask, &names[number % nodes]).expect("room");
            ledger.confirm(&facts.id.uid);
        }
        Self { ledger, reader, names }
    }

    /// Kube-scheduler's question for a pod, with all nodes.
    pub(crate) fn request(&self, pod: &Value) -> Vec<u8> {
        json!({"Pod": pod, "Nodes": null, "NodeNames": self.names}).to_string().into_bytes()
    }
}

fn node(number: usize, name: &str) -> Value {
    let gpu = |index: u8| {
        let mut uuid = [index; 16];
        uuid[..8].copy_from_slice(&number.to_be_bytes());
        RegisteredGpu {
            index: index.into(),
            uuid: Uuid(uuid),
            model: "NVIDIA H100 80GB HBM3".to_owned(),
            cores: 100,
            memory: 81_559,
            split_count: 10,
            numa: Some(u32::from(index) / 4),
            mig: false,
            pci: format!("00000000:{index:02x}:00.0"),
            capability: (9, 0),
            healthy: true,
            incarnation: 1,
        }
    };
    let registration = NodeRegistration {
        gpus: (0..GPUS).map(gpu).collect(),
        split_count: 10,
        memory_factor: 1,
        memory_scaling: 1000,
        cores_scaling: 1000,
    };
    json!({
        "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name}, "annotations": {
            "nvidia.com/node-device-register": registration.register_annotation(),
            "nvidia.com/node-config-info": registration.config_annotation(),
        }},
        "status": {
            "allocatable": {"nvidia.com/vgpu-number": (10 * GPUS).to_string()},
            "conditions": [{"type": "Ready", "status": "True"}],
        },
    })
}
