//! Writes a cluster's folder: certificates, configurations, and services that are all still down.

use crate::folder::Folder;
use crate::start::Size;
use crate::template::fill;
use crate::{certificates, cgroups, programs, sources};
use anyhow::{Context, Result};
use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// Whoever talks to the API server.
const USERS: [&str; 5] = ["admin", "kube-controller-manager", "kube-scheduler", "node-1", "node-2"];

/// The services that a cluster has once.
const CONTROL: [&str; 4] = ["etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler"];

/// Writes everything for a cluster of this size.
pub(crate) fn write(folder: &Folder, size: Size) -> Result<()> {
    fs::create_dir_all(folder.logs()).with_context(|| format!("cannot make {}", folder.logs().display()))?;
    certificates::write(folder)?;
    let mut values = common(folder)?;
    for user in USERS {
        values.insert("USER", user.to_owned());
        put(&folder.kubeconfig(user), &fill(&sources::read("config/kubeconfig")?, &values)?)?;
    }
    let scheduler = fill(&sources::read("config/kube-scheduler.yaml")?, &values)?;
    put(&folder.state().join("config/kube-scheduler.yaml"), &scheduler)?;

    // What is there once runs on the first node.
    values.insert("ADDRESS", "10.99.0.1".to_owned());
    let another = (size == Size::Two).then_some("another-node");
    for name in CONTROL.into_iter().chain(another) {
        service(folder, "control", name, &values)?;
    }
    for (number, node) in (1..).zip(size.nodes()) {
        values.insert("ADDRESS", format!("10.99.0.{number}"));
        values.insert("PODS", format!("10.244.{number}.0/24"));
        self::node(folder, node, &values)?;
    }
    Ok(())
}

/// Names that mean the same everywhere.
fn common(folder: &Folder) -> Result<BTreeMap<&'static str, String>> {
    let text = |path: &Path| path.display().to_string();
    let own = std::env::current_exe().context("cannot tell which program this is")?;
    Ok(BTreeMap::from([
        ("FOLDER", text(folder.path())),
        ("CLUSTER", text(&folder.state())),
        ("PROGRAM", text(&own)),
        ("PROGRAMS", text(&programs::directory()?)),
    ]))
}

fn node(folder: &Folder, node: &str, values: &BTreeMap<&'static str, String>) -> Result<()> {
    let here = folder.group(node);
    let mut values = values.clone();
    values.insert("HERE", here.display().to_string());
    values.insert("NODE", node.to_owned());
    values.insert("CGROUP", cgroups::of_node(folder, node));
    for (source, place) in [
        ("config/kubelet.yaml", "config/kubelet.yaml"),
        ("config/containerd.toml", "config/containerd.toml"),
        ("config/cni.conflist", "config/cni/pods.conflist"),
    ] {
        put(&here.join(place), &fill(&sources::read(source)?, &values)?)?;
    }
    for name in ["containerd", "kubelet"] {
        service(folder, node, name, &values)?;
    }
    Ok(())
}

fn service(folder: &Folder, group: &str, name: &str, values: &BTreeMap<&'static str, String>) -> Result<()> {
    let mut values = values.clone();
    values.insert("HERE", folder.group(group).display().to_string());
    let directory = folder.service(group, name).directory;
    let script = fill(&sources::read(&format!("services/{name}"))?, &values)?;
    put(&directory.join("down"), "")?;
    let run = directory.join("run");
    put(&run, &script)?;
    fs::set_permissions(&run, Permissions::from_mode(0o755))
        .with_context(|| format!("cannot change {}", run.display()))
}

fn put(path: &Path, text: &str) -> Result<()> {
    let folder = path.parent().unwrap_or(path);
    let written = fs::create_dir_all(folder).and_then(|()| fs::write(path, text));
    written.with_context(|| format!("cannot write {}", path.display()))
}
