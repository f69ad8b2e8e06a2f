//! A kubelet for tests: its registration, its calls of a plugin, its checkpoint.

mod checkpoint;
mod client;
mod registry;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use plugin::proto::deviceplugin::ContainerAllocateResponse;
use tokio::time::timeout;
use tonic::Status;

pub(crate) use checkpoint::Held;
pub(crate) use client::Registered;
pub(crate) use registry::Registry;

/// Longer than anything takes that does not hang.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// What the future gives, which must not hang.
pub(crate) async fn soon<T>(what: &str, future: impl Future<Output = T>) -> T {
    timeout(PATIENCE, future).await.unwrap_or_else(|_| panic!("still no {what}"))
}

/// A kubelet with one plugin.
pub(crate) struct Kubelet {
    directory: PathBuf,
    registry: Registry,
    pub(crate) plugin: Registered,
    held: Vec<Held>,
}

impl Kubelet {
    /// Starts in this directory of plugins, and waits for the plugin of `resource`.
    pub(crate) async fn start(directory: &Path, resource: &str) -> Self {
        let mut registry = Registry::start(directory);
        let plugin = registry.registered(resource).await;
        let held = checkpoint::read(directory);
        Self { directory: directory.to_owned(), registry, plugin, held }
    }

    /// Waits until the plugin has registered once more.
    pub(crate) async fn registered_again(&mut self) {
        let resource = self.plugin.resource.clone();
        self.plugin = self.registry.registered(&resource).await;
    }

    /// Admits a container that asks for `count` devices: chooses them, has them allocated, records it.
    pub(crate) async fn admit(
        &mut self,
        pod_uid: &str,
        container: &str,
        count: usize,
    ) -> Result<Vec<String>, Status> {
        let taken: BTreeSet<&String> = self.held.iter().flat_map(|held| &held.ids).collect();
        let free = self.plugin.healthy();
        let ids: Vec<String> = free.into_iter().filter(|id| !taken.contains(id)).take(count).collect();
        assert_eq!(ids.len(), count, "not enough devices");
        self.admit_with(pod_uid, container, ids).await
    }

    /// As [`Self::admit`], with devices of an init container of the pod that has finished.
    pub(crate) async fn admit_with(
        &mut self,
        pod_uid: &str,
        container: &str,
        ids: Vec<String>,
    ) -> Result<Vec<String>, Status> {
        let answer = self.plugin.allocate(&ids).await?;
        self.held.push(Held {
            pod_uid: pod_uid.to_owned(),
            container: container.to_owned(),
            resource: self.plugin.resource.clone(),
            ids: ids.clone(),
            answer,
        });
        checkpoint::write(&self.directory, &self.held);
        Ok(ids)
    }

    /// What was answered for a container.
    pub(crate) fn answer(&self, pod_uid: &str, container: &str) -> &ContainerAllocateResponse {
        let is_it = |held: &&Held| held.pod_uid == pod_uid && held.container == container;
        &self.held.iter().find(is_it).expect("an admitted container").answer
    }

    /// Ends, as when it is killed: files stay, connections go.
    pub(crate) fn kill(self) {}
}
