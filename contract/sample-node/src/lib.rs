//! Nodes with GPUs as their agents register them, for whoever tests or times what schedules. Rules of dependencies keep this out of
//! the product.

#![forbid(unsafe_code)]

use contract::Uuid;
use contract::node::{NodeRegistration, RegisteredGpu};
use serde_json::{Value, json};

/// A healthy GPU of so many MiB, which ten containers may share. Whoever wants another one says in what it differs.
#[must_use]
pub fn gpu(index: u32, uuid: Uuid, memory: u32) -> RegisteredGpu {
    RegisteredGpu {
        index,
        uuid,
        model: "NVIDIA H100 80GB HBM3".to_owned(),
        cores: 100,
        memory,
        split_count: 10,
        numa: None,
        mig: false,
        pci: format!("00000000:{:02x}:00.0", index + 1),
        capability: (9, 0),
        healthy: true,
        incarnation: 0,
    }
}

/// A Node that is ready and gives out these GPUs as they are, all shared by as many. Names are written out
/// here, so that tests notice when they become others.
#[must_use]
pub fn node(name: &str, gpus: Vec<RegisteredGpu>) -> Value {
    let slices: u32 = gpus.iter().map(|gpu| gpu.split_count).sum();
    let registration = NodeRegistration {
        split_count: gpus.first().map_or(0, |gpu| gpu.split_count),
        gpus,
        memory_factor: 1,
        memory_scaling: 1000,
        cores_scaling: 1000,
    };
    json!({
        "metadata": {"name": name, "annotations": {
            "nvidia.com/node-device-register": registration.register_annotation(),
            "nvidia.com/node-config-info": registration.config_annotation(),
        }},
        "status": {
            "allocatable": {"nvidia.com/vgpu-number": slices.to_string()},
            "conditions": [{"type": "Ready", "status": "True"}],
        },
    })
}
