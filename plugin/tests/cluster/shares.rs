//! Balance and priorities among pods.

use std::fs;
use std::time::Duration;

use contract::limits_page::{Effective, effective_word};
use kube_harness::product::machine::GPU;
use kube_harness::{Cluster, Namespace, Pod, wait_until};
use serde_json::json;

use crate::agent::{Agent, NODE, log};
use crate::tenant::{bind, manifest, uid};

/// Launches kernels while there is a file `/go`.
const SCRIPT: &str = "while true; do
    until [ -e /go ]; do sleep 0.1; done
    /opt/sim/bin/launcher medium --seconds 0 >/dev/null & launcher=$!
    while [ -e /go ]; do sleep 0.1; done
    kill $launcher; wait $launcher
done";

/// A pod that has thirty percent of the card.
struct Tenant {
    pod: Pod,
    page: String,
}

impl Tenant {
    fn start(space: &Namespace, name: &str, (annotation, value): (&str, &str)) -> Self {
        let mut wanted = manifest(name, SCRIPT);
        wanted["metadata"]["annotations"] = json!({ annotation: value });
        let pod = space.run(&wanted);
        let uid = uid(&pod);
        let main = json!([{"uuid": GPU, "memoryMiB": 1000, "cores": 30}]);
        let claim = json!({"version": 1, "podUid": uid, "node": NODE, "containers": {"main": main}});
        bind(space, &pod, Some(&claim.to_string()));
        pod.wait_for("Running");
        Self { pod, page: format!("/var/lib/vgpu/containers/{uid}_main/limits/limits") }
    }

    fn work(&self) {
        self.pod.exec(&["touch", "/go"]).unwrap();
    }

    fn rest(&self) {
        self.pod.exec(&["rm", "/go"]).unwrap();
    }

    /// What it is allowed beside its own share at this moment: thousandths, and whether its gate is closed.
    fn allowed(&self) -> Option<(u16, bool)> {
        let bytes = fs::read(&self.page).unwrap();
        let word = u64::from_le_bytes(bytes.as_chunks().0[effective_word(0)]);
        let now = Duration::from_nanos(monitor::shares::now().0);
        let effective = Effective::from_word(word).filter(|effective| effective.holds(now));
        effective.map(|effective| (effective.share.get(), effective.is_gated))
    }

    fn until(&self, what: &str, is_so: impl Fn(Option<(u16, bool)>) -> bool) {
        wait_until(
            what,
            || is_so(self.allowed()).then_some(()),
            || format!("{}: {:?}\n{}\n{}", self.pod.name(), self.allowed(), self.pod.logs(), log()),
        );
    }
}

#[test]
fn a_pod_has_what_another_leaves_unused_until_that_works_also_when_the_agent_is_new() {
    let Some(cluster) = Cluster::alone() else { return };
    let agent = Agent::start();
    let space = cluster.namespace();
    let [one, other] = ["one", "other"]
        .map(|name| Tenant::start(&space, name, ("nvidia.com/vgpu-compute-policy", "balance")));
    one.work();
    one.until("one has all of it", |allowed| allowed == Some((999, false)));
    other.work();
    for tenant in [&one, &other] {
        tenant.until("each has half", |allowed| allowed == Some((500, false)));
    }
    let _agent = agent.restart();
    for tenant in [&one, &other] {
        tenant.until("each has half again", |allowed| allowed == Some((500, false)));
    }
    one.rest();
    other.until("the other has all of it", |allowed| allowed == Some((999, false)));
}

#[test]
fn a_pod_of_high_priority_closes_the_gate_of_another_while_it_works() {
    let Some(cluster) = Cluster::alone() else { return };
    let _agent = Agent::start();
    let space = cluster.namespace();
    let low = Tenant::start(&space, "low", ("nvidia.com/vgpu-priority", "1"));
    let high = Tenant::start(&space, "high", ("nvidia.com/vgpu-priority", "0"));
    low.work();
    assert_eq!(low.allowed(), None);
    high.work();
    low.until("low stands back", |allowed| allowed == Some((300, true)));
    high.rest();
    low.until("low goes on", |allowed| allowed.is_none_or(|(_, is_gated)| !is_gated));
}
