//! Nodes and pods for tests.

use placement::{
    Amount, ContainerRequest, Cores, Device, Effort, Links, Memory, Node, Placement, PodRequest, Question,
    Refusal, Role, State,
};

/// Shared by ten at most, with 1000 MiB and all of its time.
pub(crate) fn device(index: usize) -> Device {
    Device {
        uuid: format!("GPU-{index}"),
        model: "NVIDIA H100 80GB HBM3".to_owned(),
        capacity: amount(10, 1000, 100),
        used: Amount::default(),
        numa: None,
        state: State::Usable,
    }
}

pub(crate) const fn amount(slots: u64, memory: u64, cores: u64) -> Amount {
    Amount { slots, memory, cores, is_exclusive: false }
}

pub(crate) fn node(devices: Vec<Device>) -> Node {
    let links = Links::unknown(devices.len());
    Node { devices, links, memory_factor: 1, is_memory_virtual: false }
}

/// A node with so many devices, of which so much is used.
pub(crate) fn used(amounts: &[Amount]) -> Node {
    let devices = amounts.iter().enumerate();
    node(devices.map(|(index, used)| Device { used: *used, ..device(index) }).collect())
}

pub(crate) fn container(role: Role, count: usize, memory: u64, cores: u64) -> ContainerRequest {
    let cores = if cores == 0 { Cores::Unlimited } else { Cores::Percent(cores) };
    ContainerRequest { name: "main".to_owned(), role, count, memory: Memory::Units(memory), cores }
}

pub(crate) fn pod(containers: Vec<ContainerRequest>) -> PodRequest {
    PodRequest { containers, ..PodRequest::default() }
}

pub(crate) fn app(count: usize, memory: u64, cores: u64) -> PodRequest {
    pod(vec![container(Role::App, count, memory, cores)])
}

/// With all the effort that one node is worth.
pub(crate) fn fits(node: &Node, request: &PodRequest) -> Result<(), Refusal> {
    Question::new(request).fits(node, &mut Effort::default())
}

/// With all the effort that one node is worth.
pub(crate) fn place(node: &Node, request: &PodRequest) -> Result<Placement, Refusal> {
    placement::place(node, request, &mut Effort::default())
}

/// The devices of each container.
pub(crate) fn devices(node: &Node, request: &PodRequest) -> Vec<Vec<usize>> {
    let placement = place(node, request).expect("a placement");
    let names = |held: &Vec<(usize, Amount)>| held.iter().map(|(device, _)| *device).collect();
    placement.containers.iter().map(names).collect()
}
