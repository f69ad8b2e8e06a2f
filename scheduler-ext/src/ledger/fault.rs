//! Why a node takes no vGPU pods, whatever they ask for.

use std::fmt;

use contract::Foreign;

use super::pod::PodId;

/// What is in the way. `Display` has the details.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NodeFault {
    /// The API server has told of no such node.
    Unknown,
    /// Kubelet does not say that it is ready.
    NotReady,
    /// Kubelet has no vGPUs to give: there is no node agent, or none of its GPUs can be shared.
    NotEnabled,
    /// The node agent has not said which GPUs there are.
    NotRegistered,
    /// It has not said how they are given out.
    NoConfiguration,
    /// What it has said cannot be understood.
    Registration(String),
    /// A unit of memory would be no memory.
    MemoryFactor,
    /// What it has said of the links between GPUs cannot be understood.
    Topology(String),
    /// Another plugin gives out the same GPUs under this name.
    OfferedTwice(String),
    /// A pod runs there of which nobody knows what it has.
    Unreadable {
        /// Which.
        pod: PodId,
        /// What is wrong with its claim.
        fault: String,
    },
}

impl NodeFault {
    /// The same words for all nodes with the same fault, so that kube-scheduler can count them; vgpu-manager's where it has them.
    #[must_use]
    pub const fn phrase(&self) -> &'static str {
        match self {
            Self::Unknown => "node missing from cache",
            Self::NotReady => "node not ready",
            Self::NotEnabled => "node not vGPU-enabled",
            Self::NotRegistered => "node has no vGPU registered",
            Self::NoConfiguration => "node has no vGPU configuration",
            Self::Registration(_) => "node vGPU registry invalid",
            Self::MemoryFactor => "node memory factor invalid",
            Self::Topology(_) => "node vGPU topology invalid",
            Self::OfferedTwice(_) => "GPUs also offered by another device plugin",
            Self::Unreadable { .. } => "node has a pod with an unreadable vGPU claim",
        }
    }
}

impl fmt::Display for NodeFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.phrase())?;
        match self {
            Self::Registration(fault) | Self::Topology(fault) => write!(f, ": {}", Foreign(fault)),
            Self::OfferedTwice(name) => {
                write!(f, ": the node gives out {}; let one plugin have its GPUs", Foreign(name))
            }
            Self::Unreadable { pod, fault } => write!(f, ": {pod}: {}; delete the pod", Foreign(fault)),
            _ => Ok(()),
        }
    }
}

impl std::error::Error for NodeFault {}
