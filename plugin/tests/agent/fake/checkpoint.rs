//! Kubelet's record of devices, as kubelet 1.20 and later writes it.

use std::fs;
use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use plugin::proto::deviceplugin::ContainerAllocateResponse;
use prost::Message;
use serde_json::{Value, json};

const FILE: &str = "kubelet_internal_checkpoint";

/// Devices that a container holds.
#[derive(Clone, Debug)]
pub(crate) struct Held {
    pub(crate) pod_uid: String,
    pub(crate) container: String,
    pub(crate) resource: String,
    pub(crate) ids: Vec<String>,
    pub(crate) answer: ContainerAllocateResponse,
}

/// Replaces the file by rename, as kubelet does.
pub(super) fn write(directory: &Path, held: &[Held]) {
    let entries: Vec<Value> = held
        .iter()
        .map(|held| {
            json!({
                "PodUID": held.pod_uid,
                "ContainerName": held.container,
                "ResourceName": held.resource,
                "DeviceIDs": { "-1": held.ids },
                "AllocResp": STANDARD.encode(held.answer.encode_to_vec()),
            })
        })
        .collect();
    let text = json!({"Data": {"PodDeviceEntries": entries, "RegisteredDevices": {}}, "Checksum": 0});
    let temporary = directory.join(".checkpoint");
    fs::write(&temporary, text.to_string()).unwrap();
    fs::rename(temporary, directory.join(FILE)).unwrap();
}

/// What an earlier kubelet has recorded.
pub(super) fn read(directory: &Path) -> Vec<Held> {
    let Ok(text) = fs::read_to_string(directory.join(FILE)) else { return Vec::new() };
    let file: Value = serde_json::from_str(&text).unwrap();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let held = |entry: &Value| Held {
        pod_uid: text(&entry["PodUID"]),
        container: text(&entry["ContainerName"]),
        resource: text(&entry["ResourceName"]),
        ids: entry["DeviceIDs"]["-1"].as_array().unwrap().iter().map(text).collect(),
        answer: ContainerAllocateResponse::decode(
            STANDARD.decode(entry["AllocResp"].as_str().unwrap()).unwrap().as_slice(),
        )
        .unwrap(),
    };
    file["Data"]["PodDeviceEntries"].as_array().unwrap().iter().map(held).collect()
}
