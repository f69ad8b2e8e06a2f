//! Keys of annotations on pods and nodes.

use crate::resources::Domain;

/// On a pod, where HAMi's names are chosen: which of several nodes it had rather, `binpack` or `spread`.
pub const HAMI_NODE_POLICY: &str = "hami.io/node-scheduler-policy";

/// On a pod, where HAMi's names are chosen: which of several devices it gets, in words with commas between them.
pub const HAMI_DEVICE_POLICY: &str = "hami.io/gpu-scheduler-policy";

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

    /// On a pod: which of several nodes it had rather, `binpack`, `spread` or `none`.
    #[must_use]
    pub fn node_policy(&self) -> String {
        self.name("node-scheduler-policy")
    }

    /// On a pod: which of several devices it gets, `binpack`, `spread` or `none`.
    #[must_use]
    pub fn device_policy(&self) -> String {
        self.name("device-scheduler-policy")
    }

    /// On a pod: whether its memory may be more than there is, `physical`, `virtual` or `none`.
    #[must_use]
    pub fn memory_policy(&self) -> String {
        self.name("memory-scheduler-policy")
    }

    /// On a pod: how the devices of a container lie to each other, `none`, `numa`, `numa-strict`, `link` or `link-strict`.
    #[must_use]
    pub fn topology_mode(&self) -> String {
        self.name("device-topology-mode")
    }

    /// On a pod: parts of the names of the only models that it takes, with commas between them.
    #[must_use]
    pub fn include_model(&self) -> String {
        self.name("include-gpu-type")
    }

    /// On a pod: parts of the names of models that it does not take.
    #[must_use]
    pub fn exclude_model(&self) -> String {
        self.name("exclude-gpu-type")
    }

    /// On a pod: the UUIDs, or parts of them, of the only devices that it takes.
    #[must_use]
    pub fn include_uuid(&self) -> String {
        self.name("include-gpu-uuid")
    }

    /// On a pod: the UUIDs, or parts of them, of devices that it does not take.
    #[must_use]
    pub fn exclude_uuid(&self) -> String {
        self.name("exclude-gpu-uuid")
    }
}

/// HAMi's words for [`Domain::include_model`], [`Domain::exclude_model`], [`Domain::include_uuid`] and [`Domain::exclude_uuid`].
impl Domain {
    /// On a pod: parts of the names of the only models that it takes, with commas between them.
    #[must_use]
    pub fn hami_include_model(&self) -> String {
        self.name("use-gputype")
    }

    /// On a pod: parts of the names of models that it does not take.
    #[must_use]
    pub fn hami_exclude_model(&self) -> String {
        self.name("nouse-gputype")
    }

    /// On a pod: the UUIDs of the only devices that it takes.
    #[must_use]
    pub fn hami_include_uuid(&self) -> String {
        self.name("use-gpuuuid")
    }

    /// On a pod: the UUIDs of devices that it does not take.
    #[must_use]
    pub fn hami_exclude_uuid(&self) -> String {
        self.name("nouse-gpuuuid")
    }
}
