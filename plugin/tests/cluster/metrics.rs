//! What the agent tells whoever scrapes it, of pods that keep to the library and of one that goes past it.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use kube_harness::product::machine::FILL;
use kube_harness::{Cluster, wait_until};
use serde_json::json;

use crate::agent::{Agent, address, log};
use crate::tenant::{manifest, run};

const MIB: u64 = 1 << 20;
const PORT: u16 = 9394;

/// The status and the text of a page; `None` while the agent does not serve it.
pub(crate) fn page(path: &str) -> Option<(String, String)> {
    let mut stream = TcpStream::connect((address()?, PORT)).ok()?;
    stream.set_read_timeout(Some(Duration::from_secs(20))).ok()?;
    write!(stream, "GET {path} HTTP/1.1\r\nHost: node\r\n\r\n").ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    let (head, body) = answer.split_once("\r\n\r\n")?;
    Some((head.split(' ').nth(1)?.to_owned(), body.to_owned()))
}

/// The value of the one series of `name` that has `label`.
fn value(name: &str, label: &str) -> Option<u64> {
    let (_, page) = page("/metrics")?;
    let line = page.lines().find(|line| line.starts_with(&format!("{name}{{")) && line.contains(label))?;
    line.rsplit(' ').next()?.parse().ok()
}

fn of_pod(name: &str, pod: &str) -> Option<u64> {
    value(name, &format!("pod=\"{pod}\""))
}

fn of_gpu(name: &str) -> Option<u64> {
    value(name, "gpu_index=\"0\"")
}

fn until(what: &str, is_so: impl Fn() -> bool) {
    let explain = || format!("{}\n{}", log(), page("/metrics").map_or_else(String::new, |(_, page)| page));
    wait_until(what, || is_so().then_some(()), explain);
}

#[test]
fn memory_shows_with_its_pod_and_what_goes_past_the_library_as_unaccounted() {
    let Some(cluster) = Cluster::alone() else { return };
    let _agent = Agent::start();
    until("the agent is ready", || page("/readyz").is_some_and(|(status, _)| status == "200"));
    assert_eq!(page("/healthz").unwrap().0, "200");
    let space = cluster.namespace();
    let honest = run(&space, &manifest("honest", &format!("{FILL} 700 sleep 1000")), &[("main", 2000)]);
    honest.wait_for("Running");
    let used = || of_pod("vgpu_container_memory_used_bytes", "honest");
    until("the pod's memory shows", || used() >= Some(700 * MIB));
    assert_eq!(of_pod("vgpu_container_memory_limit_bytes", "honest"), Some(2000 * MIB));
    assert_eq!(of_pod("vgpu_container_processes", "honest"), Some(1));
    until("all of it is accounted for", || {
        let unaccounted = of_pod("vgpu_container_memory_unaccounted_bytes", "honest");
        unaccounted == Some(0) && of_gpu("vgpu_gpu_memory_unaccounted_bytes") == Some(0)
    });
    assert_eq!(of_gpu("vgpu_gpu_memory_claimed_bytes"), Some(2000 * MIB));
    // Root of the node as well as of the container, it takes the linker's list away.
    let script = format!("umount /etc/ld.so.preload && {FILL} 500 sleep 1000");
    let mut wanted = manifest("bypass", &script);
    wanted["spec"]["containers"][0]["securityContext"] = json!({"privileged": true});
    run(&space, &wanted, &[("main", 100)]).wait_for("Running");
    let shows = |amount: Option<u64>| amount >= Some(500 * MIB);
    until("what goes past the library shows with its pod", || {
        shows(of_pod("vgpu_container_memory_unaccounted_bytes", "bypass"))
    });
    assert!(shows(of_gpu("vgpu_gpu_memory_unaccounted_bytes")));
    assert_eq!(of_pod("vgpu_container_memory_used_bytes", "bypass"), Some(0));
    assert_eq!(of_pod("vgpu_container_memory_unaccounted_bytes", "honest"), Some(0));
}
