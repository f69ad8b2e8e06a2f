//! How devices are connected with each other.

use std::collections::BTreeMap;

use contract::Uuid;
use contract::node::{Connection, NodeTopology};

use super::Gpu;

/// The connections of each device to each other one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Links(pub BTreeMap<Uuid, BTreeMap<Uuid, Connection>>);

impl Links {
    /// The links of `gpus` among each other, by their places in the driver's order. What is not known of a pair is left out.
    #[must_use]
    pub fn topology<'a>(&self, gpus: impl Iterator<Item = &'a Gpu>) -> NodeTopology {
        let places: BTreeMap<Uuid, u32> = gpus.map(|gpu| (gpu.uuid, gpu.index)).collect();
        let peers = |uuid: &Uuid| {
            let links = self.0.get(uuid).into_iter().flatten();
            links.filter_map(|(peer, connection)| Some((*places.get(peer)?, *connection))).collect()
        };
        NodeTopology(places.iter().map(|(uuid, place)| (*place, peers(uuid))).collect())
    }
}
