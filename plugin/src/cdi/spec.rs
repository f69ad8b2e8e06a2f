//! CDI specs as files hold them: what is understood here, and the rest as it is.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// One file.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Spec {
    /// The version of the format.
    pub cdi_version: String,
    /// Vendor and class of the devices.
    pub kind: String,
    /// The devices.
    #[serde(default)]
    pub devices: Vec<Device>,
    /// What every container with one of the devices gets.
    #[serde(default)]
    pub container_edits: Edits,
}

/// One device.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Device {
    /// Its name among those of its kind.
    pub name: String,
    /// What a container that has it gets.
    #[serde(default)]
    pub container_edits: Edits,
}

/// What is added to a container.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Edits {
    /// `NAME=value`
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub env: Vec<String>,
    /// Device nodes, by their path in the container.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub device_nodes: Vec<DeviceNode>,
    /// Mounts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mounts: Vec<Mount>,
    /// Programs that the runtime runs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hooks: Vec<Value>,
    /// Whatever else there is.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// A device node.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct DeviceNode {
    /// Where it is in the container.
    pub path: String,
    /// Its other properties.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// A mount.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Mount {
    /// What is mounted.
    pub host_path: String,
    /// Where it is in the container.
    pub container_path: String,
    /// The file system's type, where it is no bind mount.
    #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Mount options.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<String>,
}
