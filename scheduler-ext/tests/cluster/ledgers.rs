//! What the ledgers of the scheduler's replicas say, by their metrics.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use kube_harness::product::audit;
use kube_harness::wait_until;

use crate::site::{describe, replicas, until_ready};

const PORT: u16 = 9395;
const PATIENCE: Duration = Duration::from_secs(5);
const CLAIMED: &str = "vgpu_scheduler_gpu_memory_claimed_bytes";
const DIFFERENCES: &str = "vgpu_scheduler_ledger_differences_total";

/// Waits until each replica's ledger is what the auditor makes of the pods, and no comparison of its own has ever found a difference.
pub(crate) fn until_right() {
    until_ready();
    let are_right = || {
        let claimed = audit::claimed()?;
        let is_right = |address: &str| held(address).is_some_and(|held| held == claimed);
        replicas().iter().all(|replica| is_right(&replica.address)).then_some(())
    };
    let explain = || {
        let ledgers = replicas().into_iter().map(|replica| (held(&replica.address), replica));
        format!("pods: {:?}\n{:#?}\n{}", audit::claimed(), ledgers.collect::<Vec<_>>(), describe())
    };
    wait_until("the ledgers are what pods hold", are_right, explain);
    for replica in replicas() {
        let metrics = metrics(&replica.address).expect("it is ready");
        let differences = values(&metrics, DIFFERENCES).map(|(_, value)| value).sum::<f64>();
        assert!(differences == 0.0, "{differences} differences of {replica:?}\n{}", describe());
    }
}

/// The MiB of each card that are given out or reserved, by the ledger of the replica at this address.
pub(crate) fn held(address: &str) -> Option<BTreeMap<String, u64>> {
    let metrics = metrics(address)?;
    let card = |labels: &str| Some(labels.split_once("gpu_uuid=\"")?.1.split_once('"')?.0.to_owned());
    let all = values(&metrics, CLAIMED).filter_map(|(labels, bytes)| Some((card(labels)?, mib(bytes))));
    Some(all.filter(|(_, mib)| *mib > 0).collect())
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "whole numbers of MiB")]
fn mib(bytes: f64) -> u64 {
    (bytes / f64::from(1 << 20)) as u64
}

/// Labels and values of a metric.
fn values<'a>(metrics: &'a str, name: &'a str) -> impl Iterator<Item = (&'a str, f64)> {
    let lines = metrics.lines().filter_map(move |line| line.strip_prefix(name));
    let of_this = lines.filter(|rest| rest.starts_with([' ', '{'])).filter_map(|rest| rest.rsplit_once(' '));
    of_this.filter_map(|(labels, value)| Some((labels, value.parse().ok()?)))
}

/// Asked without the API server, which may be away.
fn metrics(address: &str) -> Option<String> {
    let mut stream = TcpStream::connect((address, PORT)).ok()?;
    stream.set_read_timeout(Some(PATIENCE)).ok()?;
    write!(stream, "GET /metrics HTTP/1.0\r\nHost: {address}\r\n\r\n").ok()?;
    let mut text = String::new();
    stream.read_to_string(&mut text).ok()?;
    text.starts_with("HTTP/1.0 200").then_some(text)
}

#[test]
fn metrics_are_read() {
    let text = "m_total 3\nm_total{a=\"b c\"} 4.5\nm_total_of_others 7";
    assert_eq!(values(text, "m_total").collect::<Vec<_>>(), [("", 3.0), ("{a=\"b c\"}", 4.5)]);
}
