//! What a node sees of the file system: the machine's, with places of its own where its programs write.

use anyhow::{Context, Result, bail};
use rustix::mount::{MountFlags, MountPropagationFlags, mount, mount_bind, mount_change};
use std::ffi::CString;
use std::fs;
use std::path::Path;

/// Directories in which what is written stays in the node.
const COPIED: [&str; 2] = ["/etc", "/var/lib"];

/// Values that kubelet insists on, in places where it may write them without changing the machine.
const SYSCTLS: [(&str, &str); 4] = [
    ("vm/overcommit_memory", "1"),
    ("vm/panic_on_oom", "0"),
    ("kernel/panic", "10"),
    ("kernel/panic_on_oops", "1"),
];

/// Mounts what belongs to the cluster's process namespace.
pub(crate) fn processes() -> Result<()> {
    make_private()?;
    mount("proc", "/proc", "proc", MountFlags::empty(), None).context("cannot mount /proc")
}

/// Mounts what a node has of its own, from `here`, its folder, into the current mount namespace.
pub(crate) fn node(here: &Path) -> Result<()> {
    if let Some(copied) = COPIED.iter().find(|copied| here.starts_with(copied)) {
        bail!("{}: a cluster cannot be in {copied}, of which it makes a copy", here.display());
    }
    make_private()?;
    mount("tmpfs", "/run", "tmpfs", MountFlags::empty(), None).context("cannot mount /run")?;
    for directory in COPIED {
        copy(directory)?;
    }
    for (source, target) in [("kubelet", "/var/lib/kubelet"), ("log", "/var/log")] {
        let source = here.join(source);
        for directory in [source.as_path(), Path::new(target)] {
            fs::create_dir_all(directory).with_context(|| format!("cannot make {}", directory.display()))?;
        }
        mount_bind(&source, target).with_context(|| format!("cannot mount {target}"))?;
    }
    for (name, value) in SYSCTLS {
        pretend(name, value)?;
    }
    // What kubelet mounts is to be seen by the containers' processes.
    let shared = MountPropagationFlags::SHARED | MountPropagationFlags::REC;
    mount_change("/", shared).context("cannot share mounts")
}

fn make_private() -> Result<()> {
    let private = MountPropagationFlags::PRIVATE | MountPropagationFlags::REC;
    mount_change("/", private).context("cannot make mounts private")
}

/// Puts a writable copy over a directory, for which nothing is copied until it is written.
fn copy(directory: &str) -> Result<()> {
    let written = format!("/run/copies{directory}");
    for part in ["new", "work"] {
        fs::create_dir_all(format!("{written}/{part}"))
            .with_context(|| format!("cannot make {written}/{part}"))?;
    }
    let options = format!("lowerdir={directory},upperdir={written}/new,workdir={written}/work");
    let options = CString::new(options).context("a path with a zero in it")?;
    mount("overlay", directory, "overlay", MountFlags::empty(), options.as_c_str())
        .with_context(|| format!("cannot mount a copy of {directory}"))
}

fn pretend(name: &str, value: &str) -> Result<()> {
    let file = format!("/run/sysctl-{}", name.replace('/', "-"));
    fs::write(&file, value).with_context(|| format!("cannot write {file}"))?;
    mount_bind(&file, format!("/proc/sys/{name}")).with_context(|| format!("cannot mount over {name}"))
}
