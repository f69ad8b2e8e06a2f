//! `vgpu explain` and `vgpu nodes`, through the API server, for somebody who may ask that and nothing else.

use std::path::PathBuf;
use std::process::Command;

use kube_harness::product::{chart, machine, stage};
use kube_harness::{Namespace, kubectl, wait_until};
use serde_json::json;

use crate::site::{NODES, describe, site};
use crate::tenant::{manifest, placed};

/// A service account with the rights that docs/command-line.md gives to people.
struct Reader {
    config: PathBuf,
}

impl Reader {
    fn new(space: &Namespace) -> Self {
        let user = format!("--serviceaccount={}:default", space.name());
        let role = ["--verb=get", "--resource=services/proxy", "--resource-name=http:vgpu-scheduler:metrics"];
        let system = |words: &[&str]| kubectl(&[&["--namespace", chart::SYSTEM], words].concat(), "");
        system(&[&["create", "role", space.name()], &role[..]].concat()).expect("a role");
        let bind = ["create", "rolebinding", space.name(), "--role", space.name(), &user];
        system(&bind).expect("a binding");
        let token = space.kubectl(&["create", "token", "default"]).expect("a token");
        let config = json!({
            "apiVersion": "v1",
            "kind": "Config",
            "current-context": "reader",
            "contexts": [{"name": "reader", "context": {"cluster": "here", "user": "reader", "namespace": space.name()}}],
            "clusters": [{"name": "here", "cluster": {"server": "https://10.99.0.1", "insecure-skip-tls-verify": true}}],
            "users": [{"name": "reader", "user": {"token": token.trim()}}]
        });
        let path = std::env::temp_dir().join(space.name());
        std::fs::write(&path, config.to_string()).expect("a file");
        Self { config: path }
    }

    /// What `vgpu` says to them.
    fn vgpu(&self, words: &[&str]) -> Result<String, String> {
        let mut vgpu = Command::new(stage().join("bin/vgpu"));
        let output = vgpu.env("KUBECONFIG", &self.config).args(words).output().expect("vgpu starts");
        let said = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        if output.status.success() { Ok(said(&output.stdout)) } else { Err(said(&output.stderr)) }
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.config);
    }
}

#[test]
fn who_may_ask_the_service_is_told_why_a_pod_waits_and_what_is_left() {
    let Some(cluster) = site() else { return };
    let space = cluster.namespace();
    let reader = Reader::new(&space);
    let (_, node) = placed(&space, "placed", 1000, "none");
    space.run(&manifest("large", "true", machine::ALL + 1));
    let explain = |pod: &str, expected: &str| {
        let said = || reader.vgpu(&["explain", pod]);
        let is_said = || said().ok().filter(|text| text.contains(expected));
        wait_until(expected, is_said, || format!("{:?}\n{}", said(), describe()))
    };
    explain("placed", &node);
    let said = explain("large", "0 of 2 nodes would take it");
    assert!(
        said.contains("2  Insufficient vGPU memory: node-1, node-2") && said.contains("at most 81559"),
        "{said}"
    );
    let nodes = reader.vgpu(&["nodes"]).expect("it may ask");
    for (node, cards) in NODES {
        assert!(nodes.contains(node) && cards.iter().all(|card| nodes.contains(card)), "{nodes}");
    }
    let said = reader.vgpu(&["explain", "nobody"]).expect_err("there is no such pod");
    assert!(said.contains("nobody"), "{said}");
}
