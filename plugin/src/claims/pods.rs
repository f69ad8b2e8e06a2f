//! The pods of this node, as the API server has them.

use std::collections::BTreeMap;
use std::time::Duration;

use contract::claim::PodUid;
use k8s_openapi::api::core::v1::Pod;
use kube::Client;
use kube::runtime::watcher;
use tokio::sync::watch as channel;

use super::pod::PodFacts;
use crate::follow::follow;

/// What is known of the pods of this node.
#[derive(Debug)]
pub struct Pods {
    known: channel::Sender<Known>,
}

#[derive(Debug, Default)]
struct Known {
    pods: BTreeMap<PodUid, PodFacts>,
    /// Those of a list that is just being read again.
    listed: Option<BTreeMap<PodUid, PodFacts>>,
    /// Whether a whole list has been read at least once.
    is_complete: bool,
}

impl Default for Pods {
    fn default() -> Self {
        Self { known: channel::Sender::new(Known::default()) }
    }
}

impl Pods {
    /// The pod `uid`, which may take `patience` to become known: kubelet may hear of it earlier.
    pub async fn find(&self, uid: &PodUid, patience: Duration) -> Option<PodFacts> {
        let mut known = self.known.subscribe();
        let found = known.wait_for(|known| known.pods.contains_key(uid));
        let found = tokio::time::timeout(patience, found).await.ok()?.ok()?;
        found.pods.get(uid).cloned()
    }

    /// All pods; `None` before they have been listed once.
    #[must_use]
    pub fn all(&self) -> Option<BTreeMap<PodUid, PodFacts>> {
        let known = self.known.borrow();
        known.is_complete.then(|| known.pods.clone())
    }

    /// Takes note of what the API server tells. Devices are counted as `resource`.
    pub fn note(&self, event: watcher::Event<Pod>, resource: &str) {
        self.known.send_modify(|known| match event {
            watcher::Event::Init => known.listed = Some(BTreeMap::new()),
            watcher::Event::InitApply(pod) => {
                let listed = known.listed.get_or_insert_default();
                listed.extend(PodFacts::of(&pod, resource).map(|facts| (facts.uid.clone(), facts)));
            }
            watcher::Event::InitDone => {
                known.pods = known.listed.take().unwrap_or_default();
                known.is_complete = true;
            }
            watcher::Event::Apply(pod) => {
                known.pods.extend(PodFacts::of(&pod, resource).map(|facts| (facts.uid.clone(), facts)));
            }
            watcher::Event::Delete(pod) => {
                if let Some(facts) = PodFacts::of(&pod, resource) {
                    known.pods.remove(&facts.uid);
                }
            }
        });
    }
}

/// Keeps `pods` as they are on `node`, for ever; while the API server is away, as they were.
pub async fn watch(client: Client, node: &str, resource: &str, pods: &Pods) {
    follow(client, &format!("spec.nodeName={node}"), "the pods of this node are", |event| {
        pods.note(event, resource)
    })
    .await;
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const RESOURCE: &str = "nvidia.com/vgpu-number";

    fn pod(uid: &str) -> Pod {
        let pod = json!({"metadata": {"uid": uid, "name": uid}, "spec": {"containers": [{"name": "main"}]}});
        serde_json::from_value(pod).unwrap()
    }

    fn known(pods: &Pods) -> Option<Vec<String>> {
        pods.all().map(|all| all.keys().map(ToString::to_string).collect())
    }

    #[tokio::test]
    async fn a_list_that_is_read_again_replaces_the_old_one_when_it_is_whole() {
        let pods = Pods::default();
        let note = |event| pods.note(event, RESOURCE);
        note(watcher::Event::Init);
        note(watcher::Event::InitApply(pod("a")));
        assert_eq!(known(&pods), None);
        note(watcher::Event::InitDone);
        note(watcher::Event::Apply(pod("b")));
        assert_eq!(known(&pods).unwrap(), ["a", "b"]);
        note(watcher::Event::Init);
        note(watcher::Event::InitApply(pod("c")));
        assert_eq!(known(&pods).unwrap(), ["a", "b"]);
        note(watcher::Event::InitDone);
        assert_eq!(known(&pods).unwrap(), ["c"]);
        note(watcher::Event::Delete(pod("c")));
        assert_eq!(known(&pods).unwrap(), [""; 0]);
    }

    #[tokio::test]
    async fn who_asks_before_the_pod_is_known_waits_for_it() {
        let pods = Pods::default();
        let uid = "late".parse().unwrap();
        assert_eq!(pods.find(&uid, Duration::from_millis(5)).await, None);
        let asks = pods.find(&uid, Duration::from_secs(60));
        let comes = async { pods.note(watcher::Event::Apply(pod("late")), RESOURCE) };
        let (found, ()) = tokio::join!(asks, comes);
        assert_eq!(found.unwrap().name, "late");
    }
}
