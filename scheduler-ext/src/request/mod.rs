//! What a pod asks for, read from its resources and annotations. One reader for admission, filter, bind and whoever explains.

mod container;
mod doubts;
mod error;
mod hami;
mod policies;
mod words;

use contract::limits_page::CAPACITY;
use contract::quantity;
use contract::resources::{Domain, NameStyle, ResourceNames};
use placement::{ContainerRequest, PodRequest, Policy, Role};

use crate::api::{Container, Pod};
pub use error::{AskError, Fault};
pub use words::{POLICIES, Words};

/// What pods and nodes are read with.
#[derive(Clone, Debug)]
pub struct Reader {
    /// Of annotations.
    pub domain: Domain,
    /// Of resources.
    pub names: ResourceNames,
    /// Whose names they are; with HAMi's, its annotations are read beside ours.
    pub style: NameStyle,
    /// Of pods that say nothing of nodes.
    pub node_policy: Policy,
    /// Of pods that say nothing of devices.
    pub device_policy: Policy,
    /// Whether links between GPUs are known.
    pub has_topology: bool,
}

/// What a pod asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ask {
    /// Of a node's devices.
    pub request: PodRequest,
    /// Which of several nodes it had rather.
    pub node_policy: Policy,
}

impl Reader {
    /// One without policies of its own, that knows of no links.
    #[must_use]
    pub fn new(domain: Domain, style: NameStyle) -> Self {
        let names = domain.resources(style);
        let (node_policy, device_policy) = (Policy::None, Policy::None);
        Self { domain, names, style, node_policy, device_policy, has_topology: false }
    }

    /// What `pod` asks for; `None` if it asks for no slice.
    ///
    /// # Errors
    /// It asks for what nobody can have. All of it is told.
    pub fn read(&self, pod: &Pod) -> Result<Option<Ask>, AskError> {
        let mut faults = Vec::new();
        let containers = self.containers(pod, &mut faults);
        if containers.is_empty() && faults.is_empty() {
            return Ok(None);
        }
        if let Some(first) = containers.get(CAPACITY) {
            faults.push(Fault::crowd(&first.name, &self.names.number, containers.len(), CAPACITY));
        }
        let policies = policies::read(pod, self, &mut faults);
        if !faults.is_empty() {
            return Err(AskError(faults));
        }
        let request = PodRequest {
            containers,
            selection: policies.selection,
            policy: policies.device,
            topology: policies.topology,
            memory_kind: policies.memory_kind,
        };
        Ok(Some(Ask { request, node_policy: policies.node }))
    }

    /// What its containers ask for, in the order in which they start, without those that ask for what nobody can have.
    pub(crate) fn containers(&self, pod: &Pod, faults: &mut Vec<Fault>) -> Vec<ContainerRequest> {
        let init = pod.spec.init_containers.iter().map(|container| {
            let lasts = container.restart_policy.as_deref() == Some("Always");
            (container, if lasts { Role::Sidecar } else { Role::Init })
        });
        let all = init.chain(pod.spec.containers.iter().map(|container| (container, Role::App)));
        let mut containers = Vec::new();
        for (container, role) in all {
            match container::read(container, role, &self.names) {
                Ok(request) => containers.extend(request),
                Err(found) => faults.extend(found),
            }
        }
        containers
    }

    /// Whether kubelet gives a container of `pod` any device.
    #[must_use]
    pub fn wants_devices(&self, pod: &Pod) -> bool {
        let mut all = pod.spec.init_containers.iter().chain(&pod.spec.containers);
        all.any(|one| {
            one.resources.amount(&self.names.number).is_some_and(|amount| quantity::whole(amount) != Ok(0))
        })
    }

    /// Whether any container of `pod` names one of the resources, whatever it says of it.
    #[must_use]
    pub fn concerns(&self, pod: &Pod) -> bool {
        self.concerned(pod).next().is_some()
    }

    /// What is wrong with `pod` if more of its containers name one of the resources than may ask for slices.
    pub(crate) fn crowd(&self, pod: &Pod) -> Option<Fault> {
        let first = self.concerned(pod).nth(CAPACITY)?;
        Some(Fault::crowd(&first.name, &self.names.number, self.concerned(pod).count(), CAPACITY))
    }

    fn concerned<'a>(&'a self, pod: &'a Pod) -> impl Iterator<Item = &'a Container> {
        let names = self.resources();
        let all = pod.spec.init_containers.iter().chain(&pod.spec.containers);
        all.filter(move |container| {
            let mut amounts = names.iter().filter_map(|name| container.resources.amount(name));
            amounts.any(|amount| amount != "0")
        })
    }

    /// The names of all resources of a slice, the number's first.
    fn resources(&self) -> [&str; 4] {
        let ResourceNames { number, memory, memory_percentage, cores } = &self.names;
        [number, memory, memory_percentage, cores]
    }
}

#[cfg(test)]
mod tests;
