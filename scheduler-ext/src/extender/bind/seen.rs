//! Pods as filter has seen them, so that they need not be asked for when they are bound a moment later.

use placement::{ContainerRequest, Selection};

use super::error::BindError;
use crate::api::Pod;
use crate::ledger::PodFacts;
use crate::request::{Ask, Reader};

/// In bytes: a dozen containers, with as many UUIDs.
const SMALL: usize = 2048;

/// A pod that is to be placed.
#[derive(Clone, Debug)]
pub struct Seen {
    /// Which it is.
    pub facts: PodFacts,
    /// What it asks for; `None`: no slice.
    pub ask: Option<Ask>,
}

impl Seen {
    /// What there is to be known of `pod`.
    ///
    /// # Errors
    /// It has no identity, or asks for what nobody can have.
    pub fn read(pod: &Pod, reader: &Reader) -> Result<Self, BindError> {
        let facts = PodFacts::of(pod).ok_or_else(|| BindError::Invalid("the pod has no uid".to_owned()))?;
        Ok(Self { facts, ask: reader.read(pod)? })
    }

    /// Whether it takes no more memory than that of nearly every pod: thousands are remembered.
    pub(super) fn is_small(&self) -> bool {
        let Some(request) = self.ask.as_ref().map(|ask| &ask.request) else { return true };
        let Selection { models, not_models, uuids, not_uuids } = &request.selection;
        let names = [models, not_models, uuids, not_uuids].into_iter().flatten();
        let names: usize = names.map(|name| size_of::<String>() + name.len()).sum();
        names + size_of::<ContainerRequest>() * request.containers.len() <= SMALL
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::ledger::tests::scene::{self, asks};

    #[test]
    fn a_pod_that_names_dozens_of_gpus_is_not_small() {
        let is_small = |uuids: usize| {
            let mut pod = scene::pod("p", &asks(1, 1, 1));
            let uuids: Vec<String> = (0..uuids).map(|number| format!("GPU-{number:032}")).collect();
            pod["metadata"]["annotations"] = json!({"nvidia.com/include-gpu-uuid": uuids.join(",")});
            Seen::read(&serde_json::from_value(pod).unwrap(), &scene::reader()).unwrap().is_small()
        };
        assert!(is_small(0) && is_small(16) && !is_small(64));
    }
}
