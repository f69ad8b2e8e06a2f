//! What somebody is told who has installed the product by hand: `cargo xtask kube install`.

use std::process::Command;

use kube_harness::product::installation::NEXT;
use kube_harness::product::workspace;
use kube_harness::{kubectl, wait_until};

use crate::site::{NAMES, describe, site};

/// The example's pods, which go with this.
struct Example;

impl Drop for Example {
    fn drop(&mut self) {
        let _ = kubectl(&["delete", "pods", "slice", "large", "--ignore-not-found", "--timeout=60s"], "");
    }
}

/// Runs what was said, as it was said, and returns what it wrote, when it can: an answer may be a moment behind what was done.
fn typed(line: &str) -> String {
    let words = line.strip_prefix("cargo xtask kube ").expect("it is about the cluster");
    let run = || {
        let output = Command::new("sh").args(["-c", words]).current_dir(workspace()).output();
        let output = output.expect("sh starts");
        let said = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        if output.status.success() { Ok(said(&output.stdout)) } else { Err(said(&output.stderr)) }
    };
    wait_until(line, || run().ok(), || format!("{:?}\n{}", run(), describe()))
}

#[test]
fn what_one_may_try_after_an_installation_works_as_it_is_written() {
    let Some(_cluster) = site() else { return };
    let _example = Example;
    let [_applied, _ready, logs, nodes, explained] = NEXT.map(|(line, _)| typed(line));
    assert!(logs.contains("free of 2000 MiB") && logs.contains("CUDA_ERROR_OUT_OF_MEMORY"), "{logs}");
    assert!(NAMES.iter().all(|node| nodes.contains(node)) && nodes.contains("2000"), "{nodes}");
    assert!(explained.contains("default/large waits") && explained.contains("at most 81559"), "{explained}");
}
