//! The control groups of a cluster's containers, which the kernel keeps for the whole machine: below one of a name of its own
//! in every hierarchy, so that what is left can be removed.

use crate::folder::Folder;
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Where they are mounted, as on every distribution.
const MOUNT: &str = "/sys/fs/cgroup";

/// How long processes that were killed may keep their groups.
const PATIENCE: Duration = Duration::from_secs(10);

/// The group of a node, as kubelet names it.
pub(crate) fn of_node(folder: &Folder, node: &str) -> String {
    format!("/{}/{node}", folder.unique_name())
}

/// Makes the groups of the nodes.
pub(crate) fn make(folder: &Folder, nodes: &[&str]) -> Result<()> {
    for hierarchy in hierarchies()? {
        let cluster = hierarchy.join(folder.unique_name());
        child(&hierarchy, &cluster)?;
        for node in nodes {
            child(&cluster, &cluster.join(node))?;
        }
    }
    Ok(())
}

/// Removes all of them; their processes have been killed.
pub(crate) fn remove(folder: &Folder) -> Result<()> {
    for hierarchy in hierarchies()? {
        let group = hierarchy.join(folder.unique_name());
        let start = Instant::now();
        while group.exists() && remove_tree(&group).is_err() {
            if start.elapsed() > PATIENCE {
                bail!("cannot remove {}: see which processes its cgroup.procs names", group.display());
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    }
    Ok(())
}

/// The one of version 2, or each of version 1.
fn hierarchies() -> Result<Vec<PathBuf>> {
    if Path::new(MOUNT).join("cgroup.controllers").exists() {
        return Ok(vec![MOUNT.into()]);
    }
    let entries = fs::read_dir(MOUNT).with_context(|| format!("cannot list {MOUNT}"))?;
    let paths = entries.flatten().map(|entry| entry.path());
    // Links are other names of hierarchies with several controllers.
    Ok(paths.filter(|path| !path.is_symlink() && path.join("cgroup.procs").exists()).collect())
}

/// Makes a group in which children may be limited as far as the parent may limit its own.
fn child(parent: &Path, group: &Path) -> Result<()> {
    fs::create_dir_all(group).with_context(|| format!("cannot make {}", group.display()))?;
    // Version 1: no process enters a group without processors.
    for file in ["cpuset.cpus", "cpuset.mems"] {
        if let Ok(inherited) = fs::read_to_string(parent.join(file)) {
            let _ = fs::write(group.join(file), inherited);
        }
    }
    // Version 2: controllers are handed down one by one.
    for controller in
        fs::read_to_string(group.join("cgroup.controllers")).unwrap_or_default().split_whitespace()
    {
        let _ = fs::write(group.join("cgroup.subtree_control"), format!("+{controller}"));
    }
    Ok(())
}

fn remove_tree(group: &Path) -> std::io::Result<()> {
    for entry in fs::read_dir(group)?.flatten().filter(|entry| entry.path().is_dir()) {
        remove_tree(&entry.path())?;
    }
    fs::remove_dir(group)
}
