//! The chart, installed, upgraded and removed by helm.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use kube_harness::product::machine::{FILL, GPU, Machine};
use kube_harness::product::{image as archives, stage};
use kube_harness::{Cluster, Pod, kubectl, wait_until};
use serde_json::json;

use crate::agent::{self, Agent, NODE, describe, is_ready, new_start};
use crate::chart::{self, RELEASE, SYSTEM};
use crate::image;
use crate::tenant::{manifest, run, total_of};

const LIBRARY: &str = "/usr/lib/vgpu/libvgpu.so";

/// The library of this build, with another content: what follows an ELF file means nothing.
fn another_library() -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("another/libvgpu.so");
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::copy(stage().join("lib/libvgpu.so"), &path).unwrap();
    fs::OpenOptions::new().append(true).open(&path).unwrap().write_all(b"another").unwrap();
    path
}

/// How long the library is that programs in the pod find.
fn library_of(pod: &Pod) -> u64 {
    pod.exec(&["stat", "-c", "%s", LIBRARY]).unwrap().trim().parse().unwrap()
}

/// The library that the pod's first program has mapped, by its inode.
fn mapped(pod: &Pod) -> String {
    let script = format!("grep {LIBRARY} /proc/1/maps | head -n 1");
    let line = pod.exec(&["sh", "-c", &script]).unwrap();
    line.split_whitespace().nth(4).expect("the library is mapped").to_owned()
}

/// Runs helm with the image of this tag, and waits for the agent.
fn release(command: &[&str], tag: &str) {
    let start = new_start();
    let mut values = chart::values();
    chart::merge(&mut values, &json!({"image": {"tag": tag}, "podAnnotations": {agent::START: start}}));
    chart::helm(command, &values);
    wait_until("the agent is ready", || is_ready(&start).then_some(()), describe);
}

fn uninstall() {
    let helm = Command::new("helm").args(["uninstall", RELEASE, "--namespace", SYSTEM]).output().unwrap();
    assert!(helm.status.success(), "{}", String::from_utf8_lossy(&helm.stderr));
}

#[test]
fn an_upgrade_leaves_programs_their_library_and_new_pods_get_the_new_one() {
    let Some(cluster) = Cluster::alone() else { return };
    chart::remove();
    Machine::of(NODE).install(&[GPU]);
    image::install();
    let library = another_library();
    image::make("2", &library);
    release(&["install", "--create-namespace"], image::TAG);
    let space = cluster.namespace();
    let running =
        run(&space, &manifest("running", "exec /opt/sim/bin/launcher gaps --seconds 0"), &[("main", 1100)]);
    running.wait_for("Running");
    let is_mapped = || running.exec(&["grep", "-q", LIBRARY, "/proc/1/maps"]).ok();
    wait_until("the program has begun", is_mapped, || running.describe());
    let before = (library_of(&running), mapped(&running));

    release(&["upgrade"], "2");
    let new = run(&space, &manifest("new", "sleep 1000"), &[("main", 1200)]);
    new.wait_for("Running");
    assert_eq!(library_of(&new), fs::metadata(&library).unwrap().len());
    assert_eq!(total_of(&new.exec(&[FILL, "1"]).unwrap()), Some(1200));
    assert_eq!((library_of(&running), mapped(&running)), before);
    assert_eq!(total_of(&running.exec(&[FILL, "1"]).unwrap()), Some(1100));
    let status = running.get().unwrap()["status"]["containerStatuses"][0].clone();
    assert_eq!(status["restartCount"], 0, "{status}");

    uninstall();
    let kinds = "daemonsets,configmaps,serviceaccounts,clusterroles,clusterrolebindings,\
                 validatingadmissionpolicies,validatingadmissionpolicybindings";
    let ours = format!("app.kubernetes.io/instance={RELEASE}");
    let left =
        kubectl(&["--namespace", SYSTEM, "get", kinds, "--selector", &ours, "-o", "name"], "").unwrap();
    assert_eq!(left, "");
    wait_until("the agent has ended", || agent::pods().is_empty().then_some(()), describe);
    // Whom it had given something keeps it.
    assert_eq!(total_of(&running.exec(&[FILL, "1"]).unwrap()), Some(1100));
}

#[test]
fn the_image_as_it_is_released_starts() {
    let Some(cluster) = Cluster::alone() else { return };
    let Some(archive) = archives::released("vgpu-node-agent") else {
        println!("skipped: there is no image; `cargo xtask image` makes it");
        return;
    };
    archives::give(&[archive], &[NODE]);
    let _agent = Agent::start_with(&json!({"image": {"repository": "localhost/vgpu-node-agent", "tag": ""}}));
    let space = cluster.namespace();
    let pod = run(&space, &manifest("one", &format!("{FILL} 1")), &[("main", 1300)]);
    pod.wait_for("Succeeded");
    assert_eq!(total_of(&pod.logs()), Some(1300));
}
