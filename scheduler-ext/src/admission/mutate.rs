//! What is filled in of a pod that asks for slices. Whoever does it again finds nothing left to do.

use contract::annotations::{HAMI_DEVICE_POLICY, HAMI_NODE_POLICY};
use contract::quantity;
use json_patch::Patch;
use placement::Policy;
use serde_json::{Value, json};

use super::edit::set;
use super::{Malformed, Rules, Sent, pin};
use crate::api::{Container, Pod};
use crate::request::Reader;

/// What `pod` is to be changed in; nothing, if it asks for no slice.
///
/// # Errors
/// It is no pod.
pub fn mutate(rules: &Rules, pod: &Value) -> Result<Patch, Malformed> {
    let changed = fill_in(rules, &Sent::read(pod)?);
    Ok(changed.map_or_else(Patch::default, |changed| json_patch::diff(pod, &changed)))
}

/// The pod with what it leaves out; `None` if there is nothing to be done with it.
pub(super) fn fill_in(rules: &Rules, sent: &Sent<'_>) -> Option<Value> {
    if !rules.reader.concerns(&sent.pod) || sent.is_mirror() {
        return None;
    }
    let mut changed = sent.value.clone();
    let spec = &sent.pod.spec;
    number(rules, &spec.init_containers, changed.pointer_mut("/spec/initContainers"));
    number(rules, &spec.containers, changed.pointer_mut("/spec/containers"));
    if sent.scheduler().is_none_or(|name| name == rules.scheduler_name) {
        set(&mut changed, &["spec", "schedulerName"], json!(rules.scheduler_name));
        if let Some(node) = spec.node_name.as_deref().filter(|node| !node.is_empty()) {
            pin::pin(&mut changed, node);
        }
    }
    policies(rules, &sent.pod, &mut changed);
    Some(changed)
}

/// One device for each container that wants memory or time of devices without saying of how many.
fn number(rules: &Rules, read: &[Container], containers: Option<&mut Value>) {
    let names = &rules.reader.names;
    let containers = containers.and_then(Value::as_array_mut).into_iter().flatten();
    for (container, value) in read.iter().zip(containers) {
        let asks = |name: &String| {
            let amount = container.resources.amount(name);
            amount.is_some_and(|amount| quantity::whole(amount) != Ok(0))
        };
        let wants = [&names.memory, &names.memory_percentage, &names.cores].into_iter().any(asks);
        if wants && container.resources.amount(&names.number).is_none() {
            for side in ["limits", "requests"] {
                set(value, &["resources", side, &names.number], json!("1"));
            }
        }
    }
}

/// The policies of the cluster, where the pod has none of its own.
fn policies(rules: &Rules, pod: &Pod, changed: &mut Value) {
    let Reader { domain, node_policy, device_policy, .. } = &rules.reader;
    let defaults = [
        (node_policy, domain.node_policy(), HAMI_NODE_POLICY),
        (device_policy, domain.device_policy(), HAMI_DEVICE_POLICY),
    ];
    for (policy, key, other) in defaults {
        let word = match policy {
            Policy::Binpack => "binpack",
            Policy::Spread => "spread",
            Policy::None => continue,
        };
        let says = |key: &str| pod.annotation(key).is_some_and(|text| !text.is_empty());
        if !says(&key) && !says(other) {
            set(changed, &["metadata", "annotations", &key], json!(word));
        }
    }
}
