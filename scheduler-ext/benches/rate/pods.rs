//! Pods, and how far they are.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use contract::resources::{Domain, NameStyle};
use futures_util::{StreamExt, TryStreamExt, stream};
use k8s_openapi::api::core::v1::{Namespace, Pod, ServiceAccount};
use kube::api::{DeleteParams, ListParams, PostParams};
use kube::runtime::{WatchStreamExt, watcher};
use kube::{Api, Client};
use serde_json::{Value, json};

const AT_ONCE: usize = 32;
/// How long nothing may happen before it counts as stuck.
const PATIENCE: Duration = Duration::from_secs(120);

/// The pods of one namespace.
pub(crate) struct Pods {
    pub(crate) api: Api<Pod>,
    count: usize,
}

impl Pods {
    /// Makes so many, for nobody yet: their scheduler is not running.
    pub(crate) async fn make(
        client: &Client,
        space: &str,
        count: usize,
        manifest: impl Fn(usize) -> Value,
    ) -> Result<Self> {
        let spaces = Api::<Namespace>::all(client.clone());
        let new = serde_json::from_value(json!({"metadata": {"name": space}}))?;
        spaces.create(&PostParams::default(), &new).await.context("cannot make a namespace")?;
        // The controller that makes it is not running.
        let accounts = Api::<ServiceAccount>::namespaced(client.clone(), space);
        let account = serde_json::from_value(json!({"metadata": {"name": "default"}}))?;
        accounts.create(&PostParams::default(), &account).await.context("cannot make a service account")?;
        let api = Api::<Pod>::namespaced(client.clone(), space);
        stream::iter(0..count)
            .map(|number| {
                let (api, pod) = (&api, manifest(number));
                async move {
                    let pod: Pod = serde_json::from_value(pod).context("a pod")?;
                    api.create(&PostParams::default(), &pod).await.map(drop).context("cannot make a pod")
                }
            })
            .buffer_unordered(AT_ONCE)
            .try_collect::<()>()
            .await?;
        Ok(Self { api, count })
    }

    /// Waits until all are bound, and says when the first and the last were seen so.
    pub(crate) async fn wait_until_bound(&self) -> Result<(Instant, Instant)> {
        let config = watcher::Config::default().fields("spec.nodeName!=");
        let mut seen = std::collections::BTreeSet::new();
        let mut events =
            std::pin::pin!(watcher(self.api.clone(), config).default_backoff().applied_objects());
        let mut first = None;
        while seen.len() < self.count {
            let next = tokio::time::timeout(PATIENCE, events.next()).await;
            let Ok(Some(pod)) = next else {
                bail!("{} of {} pods are bound, and no more for {PATIENCE:?}", seen.len(), self.count);
            };
            seen.insert(pod?.metadata.name);
            first.get_or_insert_with(Instant::now);
        }
        let now = Instant::now();
        Ok((first.unwrap_or(now), now))
    }

    /// All of them, as they are.
    pub(crate) async fn list(&self) -> Result<Vec<Pod>> {
        Ok(self.api.list(&ListParams::default()).await.context("cannot list pods")?.items)
    }

    /// Deletes all, at once: no kubelet will.
    pub(crate) async fn delete(self) -> Result<()> {
        let now = DeleteParams { grace_period_seconds: Some(0), ..DeleteParams::default() };
        self.api.delete_collection(&now, &ListParams::default()).await.context("cannot delete pods")?;
        let is_empty = async {
            while !self.list().await?.is_empty() {
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
            anyhow::Ok(())
        };
        tokio::time::timeout(PATIENCE, is_empty).await.context("deleted pods do not go")?
    }
}

/// A pod that asks for a slice of so many MiB and percent.
pub(crate) fn manifest(name: &str, scheduler: &str, memory: u32, cores: u32, spec: &Value) -> Value {
    let names = Domain::default().resources(NameStyle::Vgpu);
    let limits = json!({
        names.number: "1",
        names.memory: memory.to_string(),
        names.cores: cores.to_string(),
    });
    let mut pod = json!({
        "metadata": {"name": name},
        "spec": {
            "schedulerName": scheduler,
            "automountServiceAccountToken": false,
            "containers": [{"name": "main", "image": "none", "resources": {"limits": limits}}],
        },
    });
    if let (Some(all), Some(more)) = (pod["spec"].as_object_mut(), spec.as_object()) {
        all.extend(more.clone());
    }
    pod
}
