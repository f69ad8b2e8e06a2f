//! Leaving a node as it was before there was an agent.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};
use k8s_openapi::api::core::v1::{Node, Pod};
use kube::api::{ListParams, Patch, PatchParams};
use kube::{Api, Client};
use rustix::io::Errno;
use tracing::info;

use crate::cdi::Specs;
use crate::claims::pod::PodFacts;
use crate::inventory::census::Census;
use crate::kubelet::register::socket_name;
use crate::node::desired::Desired;
use crate::node::view::View;
use crate::settings::flags::Flags;
use crate::settings::node::NodeSettings;
use crate::slice::Slices;
use crate::{install, lock};

/// Takes away what the agent has written on the Node, its CDI specs, its sockets and its directory. What it does twice does no harm.
///
/// # Errors
/// An agent runs; pods have slices, unless `force`; the API server or the system refuses. What has been taken away stays away.
pub async fn run(flags: &Flags, force: bool) -> Result<()> {
    let lock = lock::try_hold(&flags.state_dir)?;
    let client = Client::try_default().await.context("no way to the API server")?;
    let tenants = tenants(flags, client.clone()).await?;
    if !tenants.is_empty() && !force {
        bail!("pods have slices here: {}; end them first, or say --force", tenants.join(", "));
    }
    withdraw(flags, client).await.context("what is written on the Node cannot be removed")?;
    remove_files(flags)?;
    drop(lock);
    info!("nothing of the agent is left on this node");
    Ok(())
}

/// Pods with slices that are not over, and containers a process of which has a GPU open.
async fn tenants(flags: &Flags, client: Client) -> Result<Vec<String>> {
    let here = ListParams::default().fields(&format!("spec.nodeName={}", flags.node_name));
    let pods = Api::<Pod>::all(client).list(&here).await.context("the pods of this node cannot be listed")?;
    let resource = flags.names().number;
    let facts = pods.iter().filter_map(|pod| PodFacts::of(pod, &resource));
    let with_slices = facts.filter(|pod| !pod.is_over && pod.containers.iter().any(|one| one.devices > 0));
    let mut tenants: Vec<String> = with_slices.map(|pod| format!("{}/{}", pod.namespace, pod.name)).collect();
    let slices = Slices::open(&flags.state_dir.join("containers"))?;
    for owner in slices.owners()?.into_iter().filter(|owner| slices.is_in_use(owner)) {
        tenants.push(format!("container {} of pod {}", owner.container, owner.pod));
    }
    Ok(tenants)
}

async fn withdraw(flags: &Flags, client: Client) -> Result<(), kube::Error> {
    let nodes = Api::<Node>::all(client);
    let Some(node) = nodes.get_opt(&flags.node_name).await? else { return Ok(()) };
    let nothing = View::new(&Census::default(), &NodeSettings::default());
    let withdrawn = Desired::new(&nothing, &flags.domain, &flags.names(), &flags.feature_gates).withdrawn();
    let parameters = PatchParams::default();
    if let Some(patch) = withdrawn.metadata_patch(&node) {
        nodes.patch(&flags.node_name, &parameters, &Patch::Merge(patch)).await?;
    }
    if let Some(patch) = withdrawn.status_patch(&node) {
        nodes.patch_status(&flags.node_name, &parameters, &Patch::Merge(patch)).await?;
    }
    Ok(())
}

fn remove_files(flags: &Flags) -> Result<()> {
    let specs = Specs::open(&flags.cdi_dir)?;
    for token in specs.tokens()? {
        specs.remove(token)?;
    }
    let socket = flags.kubelet_dir.join(socket_name(&flags.names().number));
    for path in [socket.with_extension("new"), socket] {
        install::remove(&path)?;
    }
    remove_directory(&flags.state_dir)
}

/// Removes the directory with all that is in it. One that is a mount of a pod's stays, and is empty then.
fn remove_directory(path: &Path) -> Result<()> {
    for entry in fs::read_dir(path)? {
        install::remove(&entry?.path())?;
    }
    match fs::remove_dir(path) {
        // Where all else of the container is read-only, the kernel says that first.
        Err(error) if matches!(Errno::from_io_error(&error), Some(Errno::BUSY | Errno::ROFS)) => {
            info!(directory = %path.display(), "empty, and stays: something is mounted there");
            Ok(())
        }
        result => result.with_context(|| format!("{} cannot be removed", path.display())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[test]
    fn files_of_others_stay_and_nothing_of_ours_does() {
        let place = tempfile::tempdir().unwrap();
        let at = |name: &str| place.path().join(name);
        let token = "0123456789abcdef0123456789abcdef";
        for name in ["state/lib/1", "state/containers/p_main", "cdi", "kubelet"] {
            fs::create_dir_all(at(name)).unwrap();
        }
        for name in ["state/lock", "state/lib/1/libvgpu.so", "kubelet/kubelet.sock", "cdi/nvidia.yaml"] {
            fs::write(at(name), "").unwrap();
        }
        fs::write(at(&format!("cdi/vgpu.io-slice_{token}.json")), "").unwrap();
        fs::write(at("kubelet/nvidia.com_vgpu-number.sock"), "").unwrap();
        let flag = |name: &str, place: &str| format!("--{name}={}", at(place).display());
        let directories =
            [flag("state-dir", "state"), flag("cdi-dir", "cdi"), flag("kubelet-dir", "kubelet")];
        let command = ["vgpu-node-agent", "--node-name=n"].map(str::to_owned).into_iter().chain(directories);
        remove_files(&Flags::parse_from(command)).unwrap();
        let names = |name: &str| -> Vec<_> {
            fs::read_dir(at(name)).unwrap().map(|entry| entry.unwrap().file_name()).collect()
        };
        assert!(!at("state").exists());
        assert_eq!(
            (names("cdi"), names("kubelet")),
            (vec!["nvidia.yaml".into()], vec!["kubelet.sock".into()])
        );
    }
}
