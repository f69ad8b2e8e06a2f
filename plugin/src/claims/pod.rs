//! What matters of a pod.

use std::collections::BTreeMap;

use contract::claim::{ContainerName, PodUid};
use contract::quantity;
use k8s_openapi::api::core::v1::{Container, Pod};
use serde::{Deserialize, Serialize};

use super::mounts::{self, Covered};

/// When a container runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// To its end, before the next one starts.
    Init,
    /// Started among the init containers, and runs as long as the pod.
    Sidecar,
    /// Together with the other ones of this role.
    App,
}

impl From<Role> for placement::Role {
    fn from(role: Role) -> Self {
        match role {
            Role::Init => Self::Init,
            Role::Sidecar => Self::Sidecar,
            Role::App => Self::App,
        }
    }
}

/// A container of a pod.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContainerFacts {
    /// Its name.
    pub name: ContainerName,
    /// When it runs.
    pub role: Role,
    /// How many devices it asks for.
    pub devices: usize,
}

/// A pod of this node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PodFacts {
    /// Its identity.
    pub uid: PodUid,
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// Its annotations.
    pub annotations: BTreeMap<String, String>,
    /// Whether all of its containers have ended for good.
    pub is_over: bool,
    /// Its containers in the order in which they start. Ephemeral ones get no devices.
    pub containers: Vec<ContainerFacts>,
    /// A volume that hides from one of those with devices what limits it.
    pub covered: Option<Covered>,
}

impl PodFacts {
    /// What matters of `pod`, where devices are counted as `resource`; `None` for what cannot be a pod of a node.
    #[must_use]
    pub fn of(pod: &Pod, resource: &str) -> Option<Self> {
        let spec = pod.spec.as_ref()?;
        let init = spec.init_containers.iter().flatten().map(|container| (container, init_role(container)));
        let all = init.chain(spec.containers.iter().map(|container| (container, Role::App)));
        let mut covered = None;
        let mut containers = Vec::new();
        for (container, role) in all {
            let facts = facts(container, role, resource)?;
            if facts.devices > 0 {
                covered = covered.or_else(|| mounts::covered(container));
            }
            containers.push(facts);
        }
        let phase = pod.status.as_ref().and_then(|status| status.phase.as_deref());
        Some(Self {
            uid: pod.metadata.uid.as_deref()?.parse().ok()?,
            namespace: pod.metadata.namespace.clone().unwrap_or_default(),
            name: pod.metadata.name.clone()?,
            annotations: pod.metadata.annotations.clone().unwrap_or_default(),
            is_over: matches!(phase, Some("Succeeded" | "Failed")),
            containers,
            covered,
        })
    }
}

fn init_role(container: &Container) -> Role {
    if container.restart_policy.as_deref() == Some("Always") { Role::Sidecar } else { Role::Init }
}

fn facts(container: &Container, role: Role, resource: &str) -> Option<ContainerFacts> {
    let limits = container.resources.as_ref().and_then(|resources| resources.limits.as_ref());
    let devices = limits.and_then(|limits| limits.get(resource)).map_or("0", |quantity| &quantity.0);
    let devices = usize::try_from(quantity::whole(devices).ok()?).ok()?;
    Some(ContainerFacts { name: container.name.parse().ok()?, role, devices })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn containers_come_in_the_order_in_which_they_start_with_their_devices() {
        let asks = |count: &str| json!({"limits": {"nvidia.com/vgpu-number": count}});
        let pod = json!({
            "metadata": {"uid": "u-1", "namespace": "team", "name": "p", "annotations": {"a": "b"}},
            "spec": {
                "initContainers": [
                    {"name": "first", "resources": asks("2")},
                    {"name": "proxy", "restartPolicy": "Always"}
                ],
                "containers": [
                    {"name": "main", "resources": asks("1"), "volumeMounts": [{"name": "v", "mountPath": "/etc/vgpu"}]},
                    {"name": "side", "volumeMounts": [{"name": "v", "mountPath": "/etc/ld.so.preload"}]}
                ]
            },
            "status": {"phase": "Running"}
        });
        let facts = PodFacts::of(&serde_json::from_value(pod).unwrap(), "nvidia.com/vgpu-number").unwrap();
        let containers: Vec<_> = facts
            .containers
            .iter()
            .map(|container| (container.name.as_str(), container.role, container.devices))
            .collect();
        let expected = [
            ("first", Role::Init, 2),
            ("proxy", Role::Sidecar, 0),
            ("main", Role::App, 1),
            ("side", Role::App, 0),
        ];
        assert_eq!(containers, expected);
        let covered = facts.covered.unwrap();
        assert_eq!((covered.container.as_str(), covered.path.as_str()), ("main", "/etc/vgpu"));
        assert_eq!((facts.uid.as_str(), facts.is_over), ("u-1", false));
        assert_eq!((facts.annotations["a"].as_str(), facts.namespace.as_str()), ("b", "team"));
    }
}
