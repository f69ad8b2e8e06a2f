//! What is measured.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use kube::Client;
use kube_harness::product::audit;
use serde_json::{Value, json};

use crate::nodes::Nodes;
use crate::pods::{Pods, manifest};
use crate::scheduler::{Beside, Sample, Scheduler};

/// MiB that only a few nodes have.
const MUCH: u32 = 60_000;
/// How many pods go to one node.
const TO_ONE: usize = 100;

/// What one scheduler did.
pub(crate) struct Round {
    /// From the first binding to the last.
    pub(crate) took: Duration,
    /// The extender's time on a processor, until it was ready and for all pods.
    pub(crate) busy: Option<[Duration; 2]>,
    /// Bindings that were tried, and those that failed.
    pub(crate) binds: Option<(u64, u64)>,
    /// Devices of which more is claimed than there is, and claims that are not what pods ask for.
    pub(crate) faults: Vec<String>,
}

/// Mixed pods on all nodes.
pub(crate) async fn round(client: &Client, beside: Beside, count: usize) -> Result<Round> {
    let mixed = |number: usize, name: &str| {
        let step = u32::try_from(number % 7).unwrap_or(0);
        manifest(&format!("p{number}"), name, 2000 + 1000 * step, 5 * step, &Value::Null)
    };
    place(client, beside, Sample::All, count, mixed).await
}

/// So many pods that only one node takes: how long until they are bound.
pub(crate) async fn one_node(client: &Client, nodes: &Nodes) -> Result<(usize, Round)> {
    let only = json!({"nodeSelector": {"kubernetes.io/hostname": nodes.last()}});
    // Half of what eight GPUs have in all.
    let same = |number: usize, name: &str| {
        let step = u32::try_from(number % 5).unwrap_or(0);
        manifest(&format!("p{number}"), name, 600 + 500 * step, 4, &only)
    };
    Ok((TO_ONE, place(client, Beside::Extender, Sample::All, TO_ONE, same).await?))
}

/// One pod that few nodes take, by a scheduler that looks at a sample of them.
pub(crate) async fn needle(client: &Client) -> Result<Round> {
    let big = |_: usize, name: &str| manifest("needle", name, MUCH, 0, &Value::Null);
    place(client, Beside::Extender, Sample::Default, 1, big).await
}

/// Makes pods, starts a scheduler for them and waits until all are bound.
async fn place(
    client: &Client,
    beside: Beside,
    sample: Sample,
    count: usize,
    manifest: impl Fn(usize, &str) -> Value,
) -> Result<Round> {
    static NUMBER: AtomicUsize = AtomicUsize::new(0);
    let name = format!("rate-{}", NUMBER.fetch_add(1, Ordering::Relaxed));
    let pods = Pods::make(client, &name, count, |number| manifest(number, &name)).await?;
    let start = Instant::now();
    let scheduler = Scheduler::start(&folder(&name), &name, beside, sample).await?;
    let (first, last) = pods.wait_until_bound().await?;
    // Of a single pod there is no rate: how long it waited.
    let took = if count == 1 { last - start } else { last - first };
    let (busy, binds) = match &scheduler.extender {
        Some(extender) => (Some([extender.to_be_ready, extender.busy_with_pods()?]), Some(extender.binds()?)),
        None => (None, None),
    };
    let faults = match beside {
        Beside::Extender => audit::faults().context("the API server is away")?,
        Beside::Nobody => Vec::new(),
    };
    drop(scheduler);
    pods.delete().await?;
    Ok(Round { took, busy, binds, faults })
}

/// Where the files of one scheduler are.
fn folder(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("vgpu-{name}-{}", std::process::id()))
}
