//! Keys of annotations on pods and nodes.

use crate::resources::Domain;

impl Domain {
    /// On a pod: its [claim](crate::claim::Claim), written by the scheduler together with the node's name.
    #[must_use]
    pub fn claim(&self) -> String {
        self.name("vgpu-claim")
    }

    /// On a pod: its claim in [vgpu-manager's form](crate::claim::Claim::from_pre_allocated).
    #[must_use]
    pub fn pre_allocated(&self) -> String {
        self.name("pre-allocated")
    }

    /// On a pod: the node that a claim in vgpu-manager's form is for.
    #[must_use]
    pub fn predicate_node(&self) -> String {
        self.name("predicate-node")
    }

    /// On a node: its [GPUs](crate::node::NodeRegistration::register_annotation), in vgpu-manager's form.
    #[must_use]
    pub fn node_register(&self) -> String {
        self.name("node-device-register")
    }

    /// On a node: how they are [given out](crate::node::NodeRegistration::config_annotation), in vgpu-manager's form.
    #[must_use]
    pub fn node_config(&self) -> String {
        self.name("node-config-info")
    }

    /// On a pod: its [priority](crate::env::Priority) among those that share a GPU with it.
    #[must_use]
    pub fn priority(&self) -> String {
        self.name("vgpu-priority")
    }

    /// On a node: how its GPUs are [connected](crate::node::NodeTopology::annotation), in vgpu-manager's form.
    #[must_use]
    pub fn node_topology(&self) -> String {
        self.name("node-device-topology")
    }

    /// On a pod or a node: what compute shares mean there, a [policy](crate::limits_page::SharePolicy)'s name.
    #[must_use]
    pub fn compute_policy(&self) -> String {
        self.name("vgpu-compute-policy")
    }
}
