//! Where the files of a cluster are.
//!
//! ```text
//! FOLDER/
//!   logs/                  what the services say: control-etcd.log …
//!   state/                 all else; gone when the cluster is down
//!     certificates/  kubeconfig/  config/
//!     control/  node-1/  node-2/     a group of services each, with their data
//!       services/NAME/     see `service`
//! ```

use crate::service::Service;
use anyhow::{Context, Result};
use std::fs;
use std::path::{Path, PathBuf};

/// The variable that tells a program in a cluster's namespaces where that cluster's folder is.
pub const VARIABLE: &str = "VGPU_KUBE";

/// A cluster's folder, which may not be there yet.
#[derive(Clone, Debug)]
pub struct Folder(PathBuf);

impl Folder {
    /// # Errors
    /// The current directory is unknown.
    pub fn new(path: &Path) -> Result<Self> {
        Ok(Self(
            std::path::absolute(path).with_context(|| format!("cannot tell where {} is", path.display()))?,
        ))
    }

    /// Its name, which is also how its processes are recognised.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// All but the logs.
    pub fn state(&self) -> PathBuf {
        self.0.join("state")
    }

    /// What the services say.
    pub fn logs(&self) -> PathBuf {
        self.0.join("logs")
    }

    /// The configuration of kubectl, and of whoever else wants the rights of `user`.
    pub fn kubeconfig(&self, user: &str) -> PathBuf {
        self.state().join("kubeconfig").join(user)
    }

    /// The data of a group of services: `control`, `node-1`, `node-2`.
    pub fn group(&self, group: &str) -> PathBuf {
        self.state().join(group)
    }

    /// A service.
    pub fn service(&self, group: &str, name: &str) -> Service {
        Service {
            name: format!("{group}/{name}"),
            directory: self.group(group).join("services").join(name),
            log: self.logs().join(format!("{group}-{name}.log")),
        }
    }

    /// The services of a group, or none when there is no such group.
    pub(crate) fn services_of(&self, group: &str) -> Vec<Service> {
        let entries = fs::read_dir(self.group(group).join("services")).into_iter().flatten().flatten();
        entries.filter_map(|entry| Some(self.service(group, entry.file_name().to_str()?))).collect()
    }

    /// All services.
    pub fn services(&self) -> Vec<Service> {
        ["control", "node-1", "node-2"].iter().flat_map(|group| self.services_of(group)).collect()
    }

    /// A name for what the kernel keeps for all clusters together, different for every folder.
    pub fn unique_name(&self) -> String {
        // FNV-1a: the same on every run, which the standard library's is not promised to be.
        let hash =
            self.0.as_os_str().as_encoded_bytes().iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
                (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
            });
        format!("vgpu-kube-{hash:016x}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_folders_share_no_name() {
        let name = |path: &str| Folder::new(Path::new(path)).unwrap().unique_name();
        assert_ne!(name("/a/kube"), name("/b/kube"));
        assert_eq!(name("/a/kube"), name("/a/kube"));
    }
}
