//! What this agent has to say on its Node, and what has to be changed there for it to be said. Pure.

use std::collections::BTreeMap;

use contract::resources::{Domain, ResourceNames};
use k8s_openapi::api::core::v1::Node;
use serde_json::{Map, Value, json};

use super::view::View;
use crate::settings::gates::{Gate, Gates};

/// What is to be on the Node. A value that is `None` is to be absent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Desired {
    annotations: BTreeMap<String, Option<String>>,
    labels: BTreeMap<String, Option<String>>,
    capacity: BTreeMap<String, Option<u64>>,
}

impl Desired {
    /// As `view` is, with the resources whose `gates` are open.
    #[must_use]
    pub fn new(view: &View, domain: &Domain, names: &ResourceNames, gates: &Gates) -> Self {
        let (registration, totals) = (view.registration(), view.totals());
        let topology = gates.has(Gate::GpuTopology).then(|| view.topology().annotation());
        let annotations = [
            (domain.node_register(), Some(registration.register_annotation())),
            (domain.node_config(), Some(registration.config_annotation())),
            (domain.node_topology(), topology),
        ];
        let (major, minor) = view.driver.cuda;
        let labels = [
            ("node-driver-version", label(&view.driver.version)),
            ("node-cuda-version", label(&format!("{major}.{minor}"))),
            ("node-cuda-major", label(&major.to_string())),
            ("node-cuda-minor", label(&minor.to_string())),
        ];
        let capacity = [
            (names.cores.clone(), gates.has(Gate::CorePlugin).then_some(totals.cores)),
            (names.memory.clone(), gates.has(Gate::MemoryPlugin).then_some(totals.memory)),
        ];
        Self {
            annotations: annotations.into(),
            labels: labels.into_iter().map(|(part, value)| (domain.name(part), value)).collect(),
            capacity: capacity.into(),
        }
    }

    /// That nothing of all this is to be there.
    #[must_use]
    pub fn withdrawn(self) -> Self {
        fn absent<T>(entries: BTreeMap<String, Option<T>>) -> BTreeMap<String, Option<T>> {
            entries.into_keys().map(|key| (key, None)).collect()
        }
        Self {
            annotations: absent(self.annotations),
            labels: absent(self.labels),
            capacity: absent(self.capacity),
        }
    }

    /// The merge patch that makes `node`'s annotations and labels so; `None` when they are.
    #[must_use]
    pub fn metadata_patch(&self, node: &Node) -> Option<Value> {
        let annotations = missing(&self.annotations, node.metadata.annotations.as_ref());
        let labels = missing(&self.labels, node.metadata.labels.as_ref());
        let is_so = annotations.is_empty() && labels.is_empty();
        (!is_so).then(|| json!({"metadata": {"annotations": annotations, "labels": labels}}))
    }

    /// The merge patch that makes `node`'s capacity so; `None` when it is. Kubelet makes what can be allocated of it.
    #[must_use]
    pub fn status_patch(&self, node: &Node) -> Option<Value> {
        let capacity = node.status.as_ref().and_then(|status| status.capacity.as_ref());
        let now: Option<BTreeMap<String, String>> =
            capacity.map(|all| all.iter().map(|(name, amount)| (name.clone(), amount.0.clone())).collect());
        let wanted: BTreeMap<String, Option<String>> = self
            .capacity
            .iter()
            .map(|(name, amount)| (name.clone(), amount.map(|amount| amount.to_string())))
            .collect();
        let capacity = missing_amounts(&wanted, now.as_ref());
        (!capacity.is_empty()).then(|| json!({"status": {"capacity": capacity}}))
    }
}

/// A label may not have every character; no label is better than a wrong one.
fn label(text: &str) -> Option<String> {
    let is_fine = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    (!text.is_empty() && text.len() <= 63 && text.chars().all(is_fine)).then(|| text.to_owned())
}

/// The entries of a merge patch that make `now` as `wanted`.
fn missing(
    wanted: &BTreeMap<String, Option<String>>,
    now: Option<&BTreeMap<String, String>>,
) -> Map<String, Value> {
    let differs =
        |(key, value): &(&String, &Option<String>)| now.and_then(|now| now.get(*key)) != value.as_ref();
    let entry = |(key, value): (&String, &Option<String>)| (key.clone(), json!(value));
    wanted.iter().filter(differs).map(entry).collect()
}

/// As [`missing`], of amounts: the API server writes 1000 as `1k`.
fn missing_amounts(
    wanted: &BTreeMap<String, Option<String>>,
    now: Option<&BTreeMap<String, String>>,
) -> Map<String, Value> {
    let plain = now.map(|now| now.iter().map(|(name, amount)| (name.clone(), written_out(amount))).collect());
    missing(wanted, plain.as_ref())
}

/// A whole number without Kubernetes' decimal suffix; anything else as it is.
fn written_out(amount: &str) -> String {
    let suffixes = [("k", "000"), ("M", "000000"), ("G", "000000000"), ("T", "000000000000")];
    let short = suffixes.iter().find_map(|(suffix, zeros)| {
        let digits = amount.strip_suffix(suffix)?;
        digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| format!("{digits}{zeros}"))
    });
    short.unwrap_or_else(|| amount.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inventory::census::Census;
    use crate::inventory::health::Member;
    use crate::inventory::{Driver, Gpu};
    use crate::settings::node::NodeSettings;
    use contract::resources::NameStyle;
    use contract::{Bytes, Uuid};

    fn desired(gates: &str) -> Desired {
        let gpu = Gpu {
            index: 0,
            uuid: Uuid([1; 16]),
            model: "NVIDIA H100 80GB HBM3".to_owned(),
            memory: Bytes::from_mib(80_000).unwrap(),
            pci: "00000000:01:00.0".to_owned(),
            numa: None,
            capability: (9, 0),
            mig: false,
        };
        let driver = Driver { version: "550.163.01".to_owned(), cuda: (12, 4) };
        let census = Census { members: vec![Member { gpu, fault: None }], driver, ..Census::default() };
        let view = View::new(&census, &NodeSettings::default());
        let domain = Domain::default();
        Desired::new(&view, &domain, &domain.resources(NameStyle::Vgpu), &gates.parse().unwrap())
    }

    fn node(text: Value) -> Node {
        serde_json::from_value(text).unwrap()
    }

    #[test]
    fn what_has_been_written_is_not_written_again() {
        let desired = desired("");
        let patch = desired.metadata_patch(&node(json!({"metadata": {}}))).unwrap();
        let written = &patch["metadata"];
        assert_eq!(written["labels"]["nvidia.com/node-driver-version"], "550.163.01");
        assert_eq!(written["labels"]["nvidia.com/node-cuda-version"], "12.4");
        assert!(written["annotations"]["nvidia.com/node-device-register"].is_string());
        assert_eq!(desired.metadata_patch(&node(patch)), None);
    }

    #[test]
    fn links_are_told_where_they_are_asked_for_and_taken_back_with_their_gate() {
        let open = desired("GPUTopology=true").metadata_patch(&node(json!({"metadata": {}}))).unwrap();
        let told = &open["metadata"]["annotations"]["nvidia.com/node-device-topology"];
        assert_eq!(told, r#"[{"index":0,"links":{}}]"#);
        let patch = desired("").metadata_patch(&node(open.clone())).unwrap();
        let gone = json!({"annotations": {"nvidia.com/node-device-topology": null}, "labels": {}});
        assert_eq!(patch, json!({"metadata": gone}));
    }

    #[test]
    fn only_what_differs_is_written() {
        let desired = desired("");
        let mut now = desired.metadata_patch(&node(json!({"metadata": {}}))).unwrap();
        now["metadata"]["annotations"]["other"] = json!("stays");
        now["metadata"]["labels"]["nvidia.com/node-cuda-minor"] = json!("2");
        let patch = desired.metadata_patch(&node(now)).unwrap();
        let only = json!({"metadata": {"annotations": {}, "labels": {"nvidia.com/node-cuda-minor": "4"}}});
        assert_eq!(patch, only);
    }

    #[test]
    fn resources_come_with_their_gate_come_back_when_they_are_lost_and_go_with_it() {
        let gates = "CorePlugin=true,MemoryPlugin=true";
        let bare = || node(json!({"metadata": {}, "status": {"capacity": {"cpu": "2"}}}));
        let both = json!({"nvidia.com/vgpu-cores": "100", "nvidia.com/vgpu-memory": "80000"});
        let patch = desired(gates).status_patch(&bare()).unwrap();
        assert_eq!(patch, json!({"status": {"capacity": both}}));
        // The API server's own way to write 80000.
        let stored = json!({"nvidia.com/vgpu-cores": "100", "nvidia.com/vgpu-memory": "80k"});
        let full = node(json!({"metadata": {}, "status": {"capacity": stored}}));
        assert_eq!(desired(gates).status_patch(&full), None);
        let gone = json!({"nvidia.com/vgpu-cores": null, "nvidia.com/vgpu-memory": null});
        assert_eq!(desired("").status_patch(&full), Some(json!({"status": {"capacity": gone}})));
        assert_eq!(desired("").status_patch(&bare()), None);
    }

    #[test]
    fn resources_are_called_as_the_cluster_calls_them() {
        let (view, domain) = (View::new(&Census::default(), &NodeSettings::default()), Domain::default());
        let gates = "CorePlugin=true".parse().unwrap();
        let desired = Desired::new(&view, &domain, &domain.resources(NameStyle::Hami), &gates);
        let patch = desired.status_patch(&node(json!({"metadata": {}})));
        assert_eq!(patch, Some(json!({"status": {"capacity": {"nvidia.com/gpucores": "0"}}})));
    }
}
