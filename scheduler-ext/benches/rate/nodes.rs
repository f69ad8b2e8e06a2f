//! Nodes that are objects and nothing else.

use anyhow::{Context, Result};
use contract::Uuid;
use contract::node::RegisteredGpu;
use futures_util::{StreamExt, TryStreamExt, stream};
use k8s_openapi::api::core::v1::Node;
use kube::api::{Patch, PatchParams, PostParams};
use kube::{Api, Client};
use serde_json::json;

pub(crate) const GPUS: u32 = 8;
/// Containers that may share a GPU.
const SPLIT: u32 = 20;
/// MiB of a GPU.
const MEMORY: u32 = 40_960;
/// MiB of a GPU of those few nodes that have more.
const MORE: u32 = 81_920;
/// How many nodes have GPUs with more memory.
pub(crate) const FEW: usize = 10;
/// Requests under way at a time.
const AT_ONCE: usize = 32;

/// The nodes.
pub(crate) struct Nodes(usize);

impl Nodes {
    /// Makes so many.
    pub(crate) async fn make(client: &Client, count: usize) -> Result<Self> {
        let api = Api::<Node>::all(client.clone());
        // The API server taints what is new until somebody has looked at it.
        let untainted = Patch::Merge(json!({"spec": {"taints": null}}));
        stream::iter(0..count)
            .map(|number| {
                let (api, untainted) = (&api, &untainted);
                async move {
                    let node = node(number, has_more(number, count))?;
                    api.create(&PostParams::default(), &node).await.context("cannot make a node")?;
                    let patched = api.patch(&name(number), &PatchParams::default(), untainted).await;
                    patched.map(drop).context("cannot take the taint off a node")
                }
            })
            .buffer_unordered(AT_ONCE)
            .try_collect::<()>()
            .await?;
        Ok(Self(count))
    }

    /// The last of them, which has no more memory than most.
    pub(crate) fn last(&self) -> String {
        name(self.0 - 1)
    }
}

fn name(number: usize) -> String {
    format!("rate-{number}")
}

/// Those with more memory lie evenly among the others, wherever a scheduler begins to look.
fn has_more(number: usize, count: usize) -> bool {
    let spacing = count.div_ceil(FEW);
    number % spacing == spacing / 2
}

/// One GPU of a node.
fn gpu(number: usize, index: u32, memory: u32) -> RegisteredGpu {
    let place = u64::try_from(number).unwrap_or(u64::MAX);
    let mut uuid = [0; 16];
    uuid[..8].copy_from_slice(&place.to_be_bytes());
    uuid[12..].copy_from_slice(&index.to_be_bytes());
    RegisteredGpu { split_count: SPLIT, numa: Some(index / 4), ..sample_node::gpu(index, Uuid(uuid), memory) }
}

fn node(number: usize, has_more: bool) -> Result<Node> {
    let memory = if has_more { MORE } else { MEMORY };
    let gpus = (0..GPUS).map(|index| gpu(number, index, memory)).collect();
    let mut node = sample_node::node(&name(number), gpus);
    node["metadata"]["labels"] = json!({"kubernetes.io/hostname": name(number)});
    let amounts = &mut node["status"]["allocatable"];
    for (resource, amount) in [("cpu", "64"), ("memory", "512Gi"), ("pods", "250")] {
        amounts[resource] = json!(amount);
    }
    node["status"]["capacity"] = amounts.clone();
    serde_json::from_value(node).context("a node")
}
