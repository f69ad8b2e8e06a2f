//! What a cluster consists of, made once and kept outside of the checkout.
//!
//! ```text
//! $XDG_CACHE_HOME/vgpu/kube/
//!   kubernetes-v1.36.3/   kube-apiserver, kube-controller-manager, kube-scheduler, kubelet, kubectl
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
const DEBIAN: [&str; 1] = ["binaries/unpack"];
const IMAGES: [&str; 3] = ["images/build", "images/pack", "binaries/unpack"];

/// Makes what is missing, and returns the directory of it all.
///
/// # Errors
/// A part cannot be made, for example because a package is out of reach.
pub fn prepare() -> Result<PathBuf> {
    let all = directory()?;
    fs::create_dir_all(&all).with_context(|| format!("cannot make {}", all.display()))?;
    // Ours until the end: another run waits, and finds it made.
    let lock = File::create(all.join("lock")).context("cannot make a lock file")?;
    lock.lock().context("cannot lock the cache")?;
    let scratch = all.join("scratch");
    make(&all.join("debian"), &DEBIAN, |part| vec![part.into()])?;
    let busybox = all.join("debian/bin/busybox");
    make(&all.join("images"), &IMAGES, |part| vec![busybox.clone().into(), part.join("all.tar").into()])?;
    // The longest is the last: what else is wrong shows within a minute.
    make(&all.join(kubernetes()?), &KUBERNETES, |part| vec![part.into(), scratch.clone().into()])?;
    if scratch.exists() {
        fs::remove_dir_all(&scratch).with_context(|| format!("cannot remove {}", scratch.display()))?;
    }
    Ok(all)
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
    let ours = [all.join(kubernetes()?), all.join("debian/bin")];
    std::env::join_paths(ours.into_iter().chain(std::env::split_paths(&inherited)))
        .context("cannot extend PATH")
}

/// The name of the part that is of this version of Kubernetes.
fn kubernetes() -> Result<String> {
    let module = sources::read("binaries/go.mod")?;
    let required = module.lines().find_map(|line| line.strip_prefix("require k8s.io/kubernetes "));
    let version = required.and_then(|rest| rest.split_whitespace().next());
    Ok(format!("kubernetes-{}", version.context("binaries/go.mod requires no k8s.io/kubernetes")?))
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
    for stale in [&new, &part.to_owned()].into_iter().filter(|path| path.exists()) {
        fs::remove_dir_all(stale).with_context(|| format!("cannot remove {}", stale.display()))?;
    }
    fs::create_dir_all(&new).with_context(|| format!("cannot make {}", new.display()))?;
    let status = Command::new(&script).args(arguments(&new)).stdin(Stdio::null()).status();
    let status = status.with_context(|| format!("cannot start {}", script.display()))?;
    if !status.success() {
        bail!("{} failed: {status}", script.display());
    }
    let finished = fs::write(new.join("recipe"), recipe).and_then(|()| fs::rename(&new, part));
    finished.with_context(|| format!("cannot write {}", part.display()))
}
