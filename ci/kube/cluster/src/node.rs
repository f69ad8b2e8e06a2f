//! The processes that prepare a node's surroundings and then supervise its services.

use crate::folder::Folder;
use crate::start::Size;
use crate::supervisor::supervise;
use crate::{mounts, network};
use anyhow::{Context, Result};
use std::fs;

/// The first process of the cluster's namespaces: the first node, and the services that are there once. Returns only by
/// failing.
///
/// # Errors
/// Something cannot be mounted, connected or started.
pub fn first_process(folder: &Folder, size: Size) -> Result<()> {
    mounts::processes()?;
    mounts::node(&folder.group("node-1"))?;
    network::play("node-1")?;
    fs::write("/proc/sys/net/ipv4/ip_forward", "1").context("cannot forward packets")?;
    if size == Size::Two {
        network::play("node-2")?;
    }
    supervise([folder.services_of("control"), folder.services_of("node-1")].concat())
}

/// The second node, in a network namespace that the first has made and a mount namespace of its own. Returns only by failing.
///
/// # Errors
/// Something cannot be mounted, connected or started.
pub fn second_node(folder: &Folder) -> Result<()> {
    network::play("inside-node-2")?;
    fs::write("/proc/sys/net/ipv4/ip_forward", "1").context("cannot forward packets")?;
    mounts::node(&folder.group("node-2"))?;
    supervise(folder.services_of("node-2"))
}
