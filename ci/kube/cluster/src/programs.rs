//! What a cluster consists of, made once and kept outside of the checkout.
//!
//! ```text
//! $XDG_CACHE_HOME/vgpu/kube/
//!   kubernetes-v1.36.3/   kube-apiserver, kube-controller-manager, kube-scheduler, kubelet, kubectl
//!   helm-v4.3.2/          helm
//!   debian/               bin/etcd, containerd, runc, …   cni/
//!   images/all.tar
//! ```
//!
//! Each part has a file `recipe` with all that it was made by, and is made anew when that has changed.

use crate::sources;
use anyhow::{Context, Result, bail};
use std::ffi::OsString;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Files of `ci/kube` that decide what a part is; the first makes it.
const KUBERNETES: [&str; 3] = ["binaries/build", "binaries/go.mod", "binaries/go.sum"];
const HELM: [&str; 3] = ["helm/build", "helm/go.mod", "helm/go.sum"];
const DEBIAN: [&str; 1] = ["binaries/unpack"];
const IMAGES: [&str; 3] = ["images/build", "images/pack", "binaries/unpack"];

/// Makes what is missing, and returns the directory of it all.
///
/// # Errors
/// A part cannot be made, for example because a package is out of reach.
pub fn prepare() -> Result<PathBuf> {
    let all = directory()?;
    let _lock = hold(&all)?;
    let scratch = all.join("scratch");
    make(&all.join("debian"), &DEBIAN, |part| vec![part.into()])?;
    let busybox = all.join("debian/bin/busybox");
    make(&all.join("images"), &IMAGES, |part| vec![busybox.clone().into(), part.join("all.tar").into()])?;
    // The longest are the last: what else is wrong shows within a minute.
    make(&all.join(helm_part()?), &HELM, |part| vec![part.into(), scratch.clone().into()])?;
    make(&all.join(kubernetes_part()?), &KUBERNETES, |part| vec![part.into(), scratch.clone().into()])?;
    remove(&scratch)?;
    Ok(all)
}

/// Makes helm, if it is missing, and returns the program.
///
/// # Errors
/// It cannot be made, for example because a package is out of reach.
pub fn helm() -> Result<PathBuf> {
    let all = directory()?;
    let _lock = hold(&all)?;
    let (part, scratch) = (all.join(helm_part()?), all.join("scratch"));
    make(&part, &HELM, |part| vec![part.into(), scratch.clone().into()])?;
    remove(&scratch)?;
    Ok(part.join("helm"))
}

/// The cache, which is ours until the file is closed: another run waits, and finds it made.
fn hold(all: &Path) -> Result<File> {
    fs::create_dir_all(all).with_context(|| format!("cannot make {}", all.display()))?;
    let lock = File::create(all.join("lock")).context("cannot make a lock file")?;
    lock.lock().context("cannot lock the cache")?;
    Ok(lock)
}

fn remove(directory: &Path) -> Result<()> {
    if directory.exists() {
        fs::remove_dir_all(directory).with_context(|| format!("cannot remove {}", directory.display()))?;
    }
    Ok(())
}

/// Where they are kept.
pub(crate) fn directory() -> Result<PathBuf> {
    let cache = match (std::env::var_os("XDG_CACHE_HOME"), std::env::var_os("HOME")) {
        (Some(cache), _) if !cache.is_empty() => PathBuf::from(cache),
        (_, Some(home)) => PathBuf::from(home).join(".cache"),
        _ => std::env::temp_dir(),
    };
    Ok(cache.join("vgpu/kube"))
}

/// `PATH` with them first.
pub(crate) fn path() -> Result<OsString> {
    let all = directory()?;
    let inherited = std::env::var_os("PATH").unwrap_or_default();
    let ours = [all.join(kubernetes_part()?), all.join(helm_part()?), all.join("debian/bin")];
    std::env::join_paths(ours.into_iter().chain(std::env::split_paths(&inherited)))
        .context("cannot extend PATH")
}

/// The name of the part that is of this version of Kubernetes.
fn kubernetes_part() -> Result<String> {
    Ok(format!("kubernetes-{}", required("binaries/go.mod", "k8s.io/kubernetes")?))
}

/// The name of the part that is of this version of helm.
fn helm_part() -> Result<String> {
    Ok(format!("helm-{}", required("helm/go.mod", "helm.sh/helm/v4")?))
}

/// The version of `module` that `file` requires, in a line of its own.
fn required(file: &str, module: &str) -> Result<String> {
    let text = sources::read(file)?;
    let line = text.lines().find_map(|line| line.strip_prefix("require ")?.strip_prefix(module));
    let version = line.and_then(|rest| rest.split_whitespace().next());
    Ok(version.with_context(|| format!("{file} requires no {module}"))?.to_owned())
}

/// Makes one part by the first of `files`, unless it is there and was made by what they are now.
fn make(part: &Path, files: &[&str], arguments: impl Fn(&Path) -> Vec<OsString>) -> Result<()> {
    let recipe = files.iter().map(|file| sources::read(file)).collect::<Result<String>>()?;
    if fs::read_to_string(part.join("recipe")).is_ok_and(|made| made == recipe) {
        return Ok(());
    }
    let script = sources::path(files[0]);
    eprintln!("kube: {} makes {}", script.display(), part.display());
    let mut new = part.as_os_str().to_owned();
    new.push(".new");
    let new = PathBuf::from(new);
    remove(&new)?;
    remove(part)?;
    fs::create_dir_all(&new).with_context(|| format!("cannot make {}", new.display()))?;
    let status = Command::new(&script).args(arguments(&new)).stdin(Stdio::null()).status();
    let status = status.with_context(|| format!("cannot start {}", script.display()))?;
    if !status.success() {
        bail!("{} failed: {status}", script.display());
    }
    let finished = fs::write(new.join("recipe"), recipe).and_then(|()| fs::rename(&new, part));
    finished.with_context(|| format!("cannot write {}", part.display()))
}
