//! How good a place a node is.

use std::collections::BTreeMap;

use crate::amount::Amount;
use crate::node::{Node, State};
use crate::order::fullness;
use crate::request::Policy;

/// The best score.
const BEST: u64 = 1000;

/// How well `policy` likes a pod with this [peak](crate::Placement::peak) on the node, from 0 to 1000: `Binpack` likes what is
/// used then, `Spread` what is left, and without a policy all nodes are alike.
#[must_use]
pub fn score(node: &Node, peak: &BTreeMap<usize, Amount>, policy: Policy) -> u64 {
    let usable = node.devices.iter().enumerate().filter(|(_, device)| device.state == State::Usable);
    let (mut count, mut used) = (0_u64, 0_u64);
    for (place, device) in usable {
        let own = peak.get(&place).copied().unwrap_or_default();
        used += fullness(device.used.plus(own), device.capacity) * BEST / 1_000_000;
        count += 1;
    }
    let used = used.checked_div(count).unwrap_or(0);
    match policy {
        Policy::None => 0,
        Policy::Binpack => used,
        Policy::Spread => BEST - used,
    }
}
