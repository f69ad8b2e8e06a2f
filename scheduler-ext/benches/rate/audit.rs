//! Whether more is claimed of a device than it has, from what the API server has and with nothing of the extender.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use contract::Uuid;
use contract::claim::Claim;
use contract::node::NodeRegistration;
use contract::resources::Domain;
use k8s_openapi::api::core::v1::{Node, Pod};
use kube::api::ListParams;
use kube::{Api, Client};

use crate::placing::claim_of;

/// Containers, MiB and percent.
type Amounts = [u64; 3];

/// How many devices have more claimed of them than there is. Each pod has one container.
pub(crate) async fn over(client: &Client, pods: &[Pod]) -> Result<usize> {
    let mut claimed = BTreeMap::<Uuid, Amounts>::new();
    for pod in pods {
        let text = claim_of(pod).with_context(|| format!("{:?} has no claim", pod.metadata.name))?;
        let claim = Claim::decode(text).map_err(anyhow::Error::msg)?;
        for device in claim.containers().values().flatten() {
            let cores = device.cores.map_or(0, |cores| cores.get().into());
            let sum = claimed.entry(device.uuid).or_default();
            *sum = add(*sum, [1, device.memory.0.get().into(), cores]);
        }
    }
    let there = there(client).await?;
    let is_over = |(uuid, sum): &(&Uuid, &Amounts)| {
        there.get(*uuid).is_none_or(|all| all.iter().zip(*sum).any(|(all, sum)| sum > all))
    };
    Ok(claimed.iter().filter(is_over).count())
}

fn add(one: Amounts, other: Amounts) -> Amounts {
    std::array::from_fn(|place| one[place] + other[place])
}

/// What all devices of the cluster have.
async fn there(client: &Client) -> Result<BTreeMap<Uuid, Amounts>> {
    let (api, domain) = (Api::<Node>::all(client.clone()), Domain::default());
    let mut all = BTreeMap::new();
    for node in api.list(&ListParams::default()).await.context("cannot list nodes")? {
        let annotations = node.metadata.annotations.unwrap_or_default();
        let text = |key: String| annotations.get(&key);
        let (Some(register), Some(config)) = (text(domain.node_register()), text(domain.node_config()))
        else {
            continue;
        };
        let node = NodeRegistration::from_annotations(register, config).map_err(anyhow::Error::msg)?;
        let amounts =
            node.gpus.iter().map(|gpu| (gpu.uuid, [gpu.split_count, gpu.memory, gpu.cores].map(u64::from)));
        all.extend(amounts);
    }
    Ok(all)
}
