//! What is filled in of a pod that asks for slices. Whoever does it again finds nothing left to do.

use contract::annotations::{HAMI_DEVICE_POLICY, HAMI_NODE_POLICY};
use contract::quantity;
use contract::resources::ResourceNames;
use json_patch::{Patch, PatchOperation};
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use placement::Policy;
use serde_json::{Map, Value, json};

use super::edit::add;
use super::{Malformed, Refusal, Rules, Sent, pin};
use crate::api::{Container, Pod};
use crate::request::{AskError, POLICIES, Reader};

/// What `pod`, a JSON text, is to be changed in; nothing, if it asks for no slice.
///
/// # Errors
/// It is no pod.
pub fn mutate(rules: &Rules, pod: &str) -> Result<Result<Patch, Refusal>, Malformed> {
    let sent = Sent::read(pod)?;
    if !rules.reader.concerns(&sent.pod) || sent.is_mirror() {
        return Ok(Ok(Patch::default()));
    }
    if let Some(crowd) = rules.reader.crowd(&sent.pod) {
        return Ok(Err(Refusal::Ask(AskError(vec![crowd]))));
    }
    let spec = &sent.pod.spec;
    let names = &rules.reader.names;
    let mut operations = numbers(names, "initContainers", &spec.init_containers);
    operations.extend(numbers(names, "containers", &spec.containers));
    let ours = rules.scheduler_name.as_str();
    if sent.scheduler().is_none_or(|name| name == ours) {
        if sent.scheduler().is_none() {
            operations.push(add(&["spec", "schedulerName"], json!(ours)));
        }
        if let Some(node) = spec.node_name.as_deref().filter(|node| !node.is_empty()) {
            match pin::pin(pod, node)? {
                Ok(pinned) => operations.extend(pinned),
                Err(refusal) => return Ok(Err(refusal)),
            }
        }
    }
    operations.extend(policies(rules, &sent.pod));
    Ok(Ok(Patch(operations)))
}

/// Whether it wants memory or time of devices without saying of how many. Of one, then.
fn lacks_number(names: &ResourceNames, container: &Container) -> bool {
    let asks = |name: &String| {
        let amount = container.resources.amount(name);
        amount.is_some_and(|amount| quantity::whole(amount) != Ok(0))
    };
    let wants = [&names.memory, &names.memory_percentage, &names.cores].into_iter().any(asks);
    wants && container.resources.amount(&names.number).is_none()
}

/// One device for each of these that lacks the number.
fn numbers(names: &ResourceNames, list: &str, containers: &[Container]) -> Vec<PatchOperation> {
    let mut operations = Vec::new();
    for (place, container) in containers.iter().enumerate().filter(|(_, one)| lacks_number(names, one)) {
        let place = place.to_string();
        let Container { resources, .. } = container;
        for (side, amounts) in [("limits", &resources.limits), ("requests", &resources.requests)] {
            let path = ["spec", list, &place, "resources", side, &names.number];
            operations.push(if amounts.is_empty() {
                add(&path[..5], json!({ &names.number: "1" }))
            } else {
                add(&path, json!("1"))
            });
        }
    }
    operations
}

/// The same for a pod that is only read.
pub(super) fn fill_numbers(names: &ResourceNames, pod: &mut Pod) {
    let all = pod.spec.init_containers.iter_mut().chain(&mut pod.spec.containers);
    for container in all.filter(|one| lacks_number(names, one)) {
        container.resources.limits.insert(names.number.clone(), Quantity("1".to_owned()));
    }
}

/// The policies of the cluster, where the pod has none of its own.
fn policies(rules: &Rules, pod: &Pod) -> Vec<PatchOperation> {
    let Reader { domain, node_policy, device_policy, .. } = &rules.reader;
    let defaults = [
        (node_policy, domain.node_policy(), HAMI_NODE_POLICY),
        (device_policy, domain.device_policy(), HAMI_DEVICE_POLICY),
    ];
    let mut missing = Map::new();
    for (policy, key, other) in defaults {
        let says = |key: &str| pod.annotation(key).is_some_and(|text| !text.is_empty());
        if let Some(word) = POLICIES.word(*policy)
            && *policy != Policy::None
            && !says(&key)
            && !says(other)
        {
            missing.insert(key, json!(word));
        }
    }
    if missing.is_empty() {
        return Vec::new();
    }
    let path = ["metadata", "annotations"];
    if pod.metadata.annotations.is_none() {
        return vec![add(&path, Value::Object(missing))];
    }
    missing.into_iter().map(|(key, word)| add(&[path[0], path[1], &key], word)).collect()
}
