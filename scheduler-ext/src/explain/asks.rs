//! What a pod asks for, in words.

use placement::{ContainerRequest, Cores, Memory, MemoryKind, Policy, Selection, Topology};

use crate::request::Ask;

/// A line for each container, and one for each rule of the whole pod. Memory is counted in `unit`.
#[must_use]
pub fn asks(ask: &Ask, unit: &str) -> Vec<String> {
    let request = &ask.request;
    let mut lines: Vec<String> = request.containers.iter().map(|asks| container(asks, unit)).collect();
    lines.extend(selection(&request.selection));
    lines.extend(match request.topology {
        Topology::Any => None,
        Topology::Numa { is_strict } => Some(near("at one NUMA node", is_strict)),
        Topology::Link { is_strict } => Some(near("linked to each other", is_strict)),
    });
    if request.memory_kind != MemoryKind::Any {
        lines.push(format!("{} memory", request.memory_kind));
    }
    let policies = [("nodes", ask.node_policy), ("devices", request.policy)];
    lines.extend(policies.iter().filter_map(|(of, policy)| Some(format!("{of}: {}", name(*policy)?))));
    lines
}

fn container(container: &ContainerRequest, unit: &str) -> String {
    let count = match container.count {
        1 => "a GPU".to_owned(),
        count => format!("each of {count} GPUs"),
    };
    let memory = match container.memory {
        Memory::Units(units) => format!("{units} {unit}"),
        Memory::Percent(percent) => format!("{percent} % of the memory"),
        Memory::Whole => "all memory".to_owned(),
    };
    let cores = match container.cores {
        Cores::Unlimited => "time without a limit".to_owned(),
        Cores::Percent(percent) => format!("{percent} % of the time"),
        Cores::Alone => "alone".to_owned(),
    };
    format!("container {}: {memory} of {count}, {cores}", container.name)
}

fn near(how: &str, is_strict: bool) -> String {
    format!("the GPUs of a container {how}{}", if is_strict { "" } else { ", if possible" })
}

fn selection(selection: &Selection) -> Vec<String> {
    let Selection { models, not_models, uuids, not_uuids } = selection;
    [("only models", models), ("no models", not_models), ("only GPUs", uuids), ("no GPUs", not_uuids)]
        .iter()
        .filter(|(_, names)| !names.is_empty())
        .map(|(which, names)| format!("{which} with {} in their name", names.join(" or ")))
        .collect()
}

const fn name(policy: Policy) -> Option<&'static str> {
    match policy {
        Policy::None => None,
        Policy::Binpack => Some("the fullest first"),
        Policy::Spread => Some("the emptiest first"),
    }
}
