//! Why a container cannot be created now.

use std::io;

use contract::claim::{ContainerName, PodUid};

use crate::cdi::driver::NoSpec;
use crate::claims::accept::Refusal;
use crate::identity::resolve::Unresolved;
use crate::kubelet::checkpoint::CheckpointError;

/// One line for people: it becomes an event of the pod.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// Kubelet's record cannot be read.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// It does not say whose container it is.
    #[error(transparent)]
    Unresolved(#[from] Unresolved),
    /// The API server has not told of the pod.
    #[error(
        "pod {0} is not known yet: the API server has not told of it, as it never does of static pods, and no claim of it is kept here"
    )]
    UnknownPod(PodUid),
    /// The pod's claim is not to be believed, or too much.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The pod was given nothing for this container.
    #[error("the claim of pod {pod} has {claimed} devices for container {container}, which holds {held}")]
    Count {
        /// The pod.
        pod: PodUid,
        /// The container.
        container: ContainerName,
        /// Devices of the claim.
        claimed: usize,
        /// Devices that kubelet has given it.
        held: usize,
    },
    /// Without CDI, a container has the GPUs that kubelet has chosen.
    #[error(
        "the claim is for {claimed}, and kubelet has chosen {chosen}, which is what a container gets without CDI: delete the pod; it \
         takes a runtime with CDI to give a claim's GPUs on a node with several"
    )]
    OtherGpus {
        /// GPUs of the claim.
        claimed: String,
        /// GPUs of the devices that the container holds.
        chosen: String,
    },
    /// The driver does not say what a container needs.
    #[error(transparent)]
    Driver(#[from] NoSpec),
    /// There is no library to mount.
    #[error("the library is not installed: {0}")]
    NoLibrary(io::Error),
    /// The system refuses.
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl Fault {
    /// Whether the pod may start on another node, if its claim were made anew: nothing is wrong with the pod or its claim.
    #[must_use]
    pub fn is_of_this_node(&self) -> bool {
        match self {
            Self::Refused(refusal) => {
                matches!(refusal, Refusal::NoSuchGpu(_) | Refusal::Unhealthy { .. } | Refusal::TooMuch(_))
            }
            Self::Driver(_) => true,
            _ => false,
        }
    }
}
