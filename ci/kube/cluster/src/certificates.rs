//! Who is who in a cluster: one authority, and a certificate for every program.

use crate::folder::Folder;
use anyhow::{Context, Result};
use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair};
use std::fs;
use std::path::Path;

/// A program's certificate.
struct Identity {
    /// Of its files.
    file: &'static str,
    /// The name that the API server reads in it.
    user: &'static str,
    /// The group, likewise.
    group: Option<&'static str>,
    /// Where it is found, when it serves.
    addresses: &'static [&'static str],
}

/// Every one; the names are those that Kubernetes' own roles are bound to.
const IDENTITIES: [Identity; 7] = [
    Identity {
        file: "kube-apiserver",
        user: "kube-apiserver",
        group: None,
        addresses: &[
            "localhost",
            "kubernetes",
            "kubernetes.default",
            "kubernetes.default.svc",
            "127.0.0.1",
            "10.96.0.1",
            "10.99.0.1",
        ],
    },
    client("admin", "admin", Some("system:masters")),
    // The API server, to kubelets, for logs and exec.
    client("kubelet-client", "kube-apiserver-kubelet-client", Some("system:masters")),
    client("kube-controller-manager", "system:kube-controller-manager", None),
    client("kube-scheduler", "system:kube-scheduler", None),
    node("node-1", "system:node:node-1", &["node-1", "10.99.0.1"]),
    node("node-2", "system:node:node-2", &["node-2", "10.99.0.2"]),
];

const fn client(file: &'static str, user: &'static str, group: Option<&'static str>) -> Identity {
    Identity { file, user, group, addresses: &[] }
}

const fn node(file: &'static str, user: &'static str, addresses: &'static [&'static str]) -> Identity {
    Identity { file, user, group: Some("system:nodes"), addresses }
}

/// Writes `ca.pem`, a `.pem` and a `.key` for everybody, and the pair of keys of service accounts' tokens.
///
/// # Errors
/// A file cannot be written.
pub(crate) fn write(folder: &Folder) -> Result<()> {
    let directory = folder.state().join("certificates");
    fs::create_dir_all(&directory).with_context(|| format!("cannot make {}", directory.display()))?;
    let mut authority = CertificateParams::new(Vec::new())?;
    authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    authority.distinguished_name.push(DnType::CommonName, "vgpu-kube");
    let key = KeyPair::generate()?;
    put(&directory.join("ca.pem"), &authority.self_signed(&key)?.pem())?;
    let authority = Issuer::new(authority, key);
    for identity in &IDENTITIES {
        identity.write(&directory, &authority)?;
    }
    let tokens = KeyPair::generate()?;
    put(&directory.join("service-accounts.key"), &tokens.serialize_pem())?;
    put(&directory.join("service-accounts.pub"), &tokens.public_key_pem())
}

impl Identity {
    fn write(&self, directory: &Path, authority: &Issuer<'_, KeyPair>) -> Result<()> {
        let addresses: Vec<String> = self.addresses.iter().map(|address| (*address).to_owned()).collect();
        let mut parameters = CertificateParams::new(addresses)?;
        // The library names the subject of its own accord.
        parameters.distinguished_name = rcgen::DistinguishedName::new();
        parameters.distinguished_name.push(DnType::CommonName, self.user);
        if let Some(group) = self.group {
            parameters.distinguished_name.push(DnType::OrganizationName, group);
        }
        let key = KeyPair::generate()?;
        let certificate = parameters.signed_by(&key, authority)?;
        put(&directory.join(format!("{}.pem", self.file)), &certificate.pem())?;
        put(&directory.join(format!("{}.key", self.file)), &key.serialize_pem())
    }
}

fn put(path: &Path, text: &str) -> Result<()> {
    fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}
