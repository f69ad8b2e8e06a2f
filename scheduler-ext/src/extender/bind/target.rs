//! Which pod is to be bound to which node.

use contract::Foreign;
use contract::names::is_object_name;

use super::error::BindError;
use crate::extender::wire::BindRequest;
use crate::ledger::PodId;

/// A pod, and its node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Target {
    pub pod: PodId,
    pub node: String,
}

impl Target {
    /// What the request says.
    pub(super) fn read(request: &BindRequest) -> Result<Self, BindError> {
        let uid = request.pod_uid.parse().map_err(|error| BindError::Invalid(format!("PodUID: {error}")))?;
        let namespace = name("PodNamespace", &request.pod_namespace)?;
        let pod = PodId { namespace, name: name("PodName", &request.pod_name)?, uid };
        Ok(Self { pod, node: name("Node", &request.node)? })
    }
}

/// A name, which becomes a part of a path.
fn name(field: &str, text: &str) -> Result<String, BindError> {
    if is_object_name(text) {
        Ok(text.to_owned())
    } else {
        Err(BindError::Invalid(format!("{field} is {}, which is no name of Kubernetes", Foreign(text))))
    }
}
