//! Containers that start again have what they had, whoever is away.

use std::fs;
use std::time::{Duration, Instant};

use kube_harness::product::machine::FILL;
use kube_harness::{Cluster, Namespace, wait_until};
use serde_json::{Value, json};

use crate::agent::{self, Agent, NODE};
use crate::tenant::{CLAIM, claim, manifest, run, total_of, uid};

/// A pod that notes in a folder of the node what it sees at each start, and ends when a file `end` comes there.
pub(crate) fn noting(space: &Namespace) -> (Value, String) {
    let folder = format!("/run/{}", space.name());
    fs::create_dir(&folder).unwrap();
    let script = format!("{FILL} 1 >>/data/seen; until [ -e /data/end ]; do sleep 0.1; done; rm /data/end");
    let mut pod = manifest("again", &script);
    pod["spec"]["restartPolicy"] = json!("Always");
    pod["spec"]["containers"][0]["volumeMounts"] = json!([{"name": "data", "mountPath": "/data"}]);
    pod["spec"]["volumes"] = json!([{"name": "data", "hostPath": {"path": folder}}]);
    (pod, folder)
}

/// What was seen at each start, as soon as there were so many.
pub(crate) fn seen(folder: &str, count: usize) -> Vec<u32> {
    let all = || -> Vec<u32> {
        let text = fs::read_to_string(format!("{folder}/seen")).unwrap_or_default();
        text.lines().filter_map(total_of).collect()
    };
    wait_until(
        &format!("it has started {count} times"),
        || (all().len() >= count).then(all),
        || format!("{:?}", all()),
    )
}

#[test]
fn a_container_that_starts_again_has_the_same_slice_whatever_its_claim_says_now() {
    let Some(cluster) = Cluster::alone() else { return };
    let _agent = Agent::start();
    let space = cluster.namespace();
    let (wanted, folder) = noting(&space);
    let pod = run(&space, &wanted, &[("main", 1111)]);
    assert_eq!(seen(&folder, 1), [1111]);
    let greedy = format!("{CLAIM}={}", claim(&uid(&pod), &[("main", 2222)]));
    space.kubectl(&["annotate", "--overwrite", "pod", pod.name(), &greedy]).unwrap();
    fs::write(format!("{folder}/end"), "").unwrap();
    assert_eq!(seen(&folder, 2), [1111, 1111]);
    let is_said = || {
        pod.events().iter().any(|event| event.contains("was changed after the pod was bound and is refused"))
    };
    pod.wait_until("an event says that the claim was changed", |_| is_said());
}

/// For longer than the node's controller waits before it calls the node lost.
#[test]
fn containers_start_again_while_the_api_server_is_away_for_a_minute_and_the_agent_is_new() {
    let Some(cluster) = Cluster::alone() else { return };
    let agent = Agent::start();
    let space = cluster.namespace();
    let (wanted, folder) = noting(&space);
    run(&space, &wanted, &[("main", 1500)]);
    assert_eq!(seen(&folder, 1), [1500]);
    let (api, killed) = (cluster.api_server(), Instant::now());
    api.kill().unwrap();
    fs::write(format!("{folder}/end"), "").unwrap();
    assert_eq!(seen(&folder, 2), [1500, 1500]);
    let _agent = agent.restart();
    fs::write(format!("{folder}/end"), "").unwrap();
    assert_eq!(seen(&folder, 3), [1500, 1500, 1500]);
    std::thread::sleep(Duration::from_secs(60).saturating_sub(killed.elapsed()));
    api.start().unwrap();
    cluster.wait_for_api();
    cluster.node(NODE).wait_until_ready();
    let later = run(&space, &manifest("later", &format!("{FILL} 1")), &[("main", 1600)]);
    later.wait_for("Succeeded");
    assert_eq!((total_of(&later.logs()), seen(&folder, 3).len()), (Some(1600), 3));
}

#[test]
fn a_pod_outlives_kubelet_and_the_agent_and_new_ones_start_after_that() {
    let Some(cluster) = Cluster::alone() else { return };
    let agent = Agent::start_with(&json!({}));
    let space = cluster.namespace();
    let (wanted, folder) = noting(&space);
    let pod = run(&space, &wanted, &[("main", 1700)]);
    assert_eq!(seen(&folder, 1), [1700]);
    let node = cluster.node("node-1");
    node.kubelet.restart().unwrap();
    agent::wait_until_registered(2);
    let _agent = agent.restart();
    agent::wait_until_registered(3);
    node.wait_until_ready();
    let another = run(&space, &manifest("another", &format!("{FILL} 1")), &[("main", 1800)]);
    another.wait_for("Succeeded");
    assert_eq!(total_of(&another.logs()), Some(1800));
    assert_eq!(total_of(&pod.exec(&[FILL, "1"]).unwrap()), Some(1700));
    assert_eq!(seen(&folder, 1), [1700]);
}
