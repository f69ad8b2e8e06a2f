//! Deployments and a job of every kind of pod, more than one node has, while pods are deleted, a node is drained, agents and both
//! containers of schedulers are killed, and leaders change: no card is ever given twice, and all pods run in the end.

mod fleet;
mod trouble;

use std::time::{Duration, Instant};

use crate::auditor::audited;
use crate::site::{site, until_ready};
use fleet::Fleet;
use trouble::Trouble;

/// The variable with which a storm may last longer than the usual [`SECONDS`].
const VARIABLE: &str = "VGPU_STORM_SECONDS";
const SECONDS: u64 = 50;

#[test]
fn no_card_is_given_twice_while_pods_nodes_agents_and_schedulers_come_and_go() {
    let Some(cluster) = site() else { return };
    audited(|| {
        let space = cluster.namespace();
        let fleet = Fleet::launch(&space);
        let trouble = Trouble::make(&space, lasts());
        let calm = Instant::now();
        fleet.wait_until_it_runs();
        let took = calm.elapsed().as_secs();
        println!("{trouble}; all {} pods ran, and the job was done, {took} s after that", fleet::PODS);
        until_ready();
        let looks = fleet.looks();
        println!("{looks} programs were told what their claims say");
    });
}

fn lasts() -> Duration {
    let seconds = std::env::var(VARIABLE).map(|text| text.parse().expect(VARIABLE));
    Duration::from_secs(seconds.unwrap_or(SECONDS))
}
