//! What would make a pod fit that fits nowhere: one change at a time, each tried.

use placement::{
    ContainerRequest, Cores, Effort, Memory, MemoryKind, Node, PodRequest, Question, Selection, Topology,
};

/// A node and its name.
type Named<'a> = (&'a str, &'a Node);

/// The changes that would help, in words, with the first node that would take the pod then. Memory is counted in `unit`.
pub(super) fn helps(request: &PodRequest, nodes: &[Named<'_>], unit: &str) -> Vec<String> {
    let mut helps = Vec::new();
    helps.extend(fewer(request, nodes, &format!("{unit} of memory"), memory_at_most));
    let part = format!("{unit} of a GPU that others share, in place of all its memory");
    helps.extend(fewer(request, nodes, &part, part_at_most));
    helps.extend(fewer(request, nodes, "percent of memory", percent_at_most));
    helps.extend(fewer(request, nodes, "percent of the time", cores_at_most));
    helps.extend(fewer(request, nodes, "GPUs", count_at_most));
    for (what, changed) in without(request) {
        helps.extend(first(&changed, nodes).map(|node| format!("{what} ({node} would take it)")));
    }
    helps
}

/// The greatest amount of something that would fit, for each container that asks for more.
fn fewer(
    request: &PodRequest,
    nodes: &[Named<'_>],
    what: &str,
    change: impl Fn(&ContainerRequest, u64) -> Option<ContainerRequest>,
) -> Option<String> {
    let with = |most: u64| {
        let mut is_changed = false;
        let containers = request.containers.iter().map(|container| match change(container, most) {
            Some(changed) => {
                is_changed = true;
                changed
            }
            None => container.clone(),
        });
        let containers = containers.collect();
        is_changed.then(|| PodRequest { containers, ..request.clone() })
    };
    let fits = |most: u64| with(most).and_then(|request| first(&request, nodes));
    // What fits, and the least of which it is known that it does not, or that it changes nothing.
    let (mut good, mut node) = (1, fits(1)?);
    let mut bad = u64::from(u32::MAX);
    while good + 1 < bad {
        let middle = good.midpoint(bad);
        match fits(middle) {
            Some(found) => (good, node) = (middle, found),
            None => bad = middle,
        }
    }
    Some(format!("{what}: at most {good} ({node} would take it)"))
}

fn memory_at_most(container: &ContainerRequest, most: u64) -> Option<ContainerRequest> {
    matches!(container.memory, Memory::Units(units) if units > most)
        .then(|| ContainerRequest { memory: Memory::Units(most), ..container.clone() })
}

/// Who asks for no memory has all of it, and the GPU alone if it asks for no time either.
fn part_at_most(container: &ContainerRequest, most: u64) -> Option<ContainerRequest> {
    let cores = if container.cores == Cores::Alone { Cores::Unlimited } else { container.cores };
    (container.memory == Memory::Whole).then(|| ContainerRequest {
        memory: Memory::Units(most),
        cores,
        ..container.clone()
    })
}

fn percent_at_most(container: &ContainerRequest, most: u64) -> Option<ContainerRequest> {
    matches!(container.memory, Memory::Percent(percent) if percent > most)
        .then(|| ContainerRequest { memory: Memory::Percent(most), ..container.clone() })
}

fn cores_at_most(container: &ContainerRequest, most: u64) -> Option<ContainerRequest> {
    matches!(container.cores, Cores::Percent(percent) if percent > most)
        .then(|| ContainerRequest { cores: Cores::Percent(most), ..container.clone() })
}

fn count_at_most(container: &ContainerRequest, most: u64) -> Option<ContainerRequest> {
    let most = usize::try_from(most).ok()?;
    (container.count > most).then(|| ContainerRequest { count: most, ..container.clone() })
}

/// The request without one of its rules, for each rule that it has.
fn without(request: &PodRequest) -> Vec<(&'static str, PodRequest)> {
    let mut changes = Vec::new();
    if request.selection != Selection::default() {
        let selection = Selection::default();
        changes.push(("other models or GPUs", PodRequest { selection, ..request.clone() }));
    }
    if matches!(request.topology, Topology::Numa { is_strict: true } | Topology::Link { is_strict: true }) {
        let topology = Topology::Any;
        changes.push(("GPUs that need not be near each other", PodRequest { topology, ..request.clone() }));
    }
    if request.memory_kind != MemoryKind::Any {
        let memory_kind = MemoryKind::Any;
        changes.push(("memory that is oversubscribed or not", PodRequest { memory_kind, ..request.clone() }));
    }
    changes
}

/// The first node that would take it.
fn first<'a>(request: &PodRequest, nodes: &[Named<'a>]) -> Option<&'a str> {
    let (mut question, mut effort) = (Question::new(request), Effort::default());
    nodes.iter().find(|(_, node)| question.fits(node, &mut effort).is_ok()).map(|(name, _)| *name)
}
