//! Where things are, as functions of who asks.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The directory that the node agent mounts into a container, read-only, with the limits page in it.
///
/// A directory and not the file: a bind-mounted file that is replaced by rename would stay the old one for ever.
pub const LIMITS_DIR: &str = "/etc/vgpu/limits";

/// The limits page inside its directory.
pub const LIMITS_FILE: &str = "limits";

/// Where a container finds the library that the node agent mounts into it.
pub const CONTAINER_LIBRARY: &str = "/usr/lib/vgpu/libvgpu.so";

/// The dynamic linker's list of libraries to load first. In a container it names [`CONTAINER_LIBRARY`].
pub const PRELOAD: &str = "/etc/ld.so.preload";

/// The accounting region that the node agent mounts into a container, the only file of its that a container may write.
pub const CONTAINER_REGION: &str = "/etc/vgpu/region";

/// The limits page in `dir`.
#[must_use]
pub fn limits_file(dir: &Path) -> PathBuf {
    dir.join(LIMITS_FILE)
}

/// The accounting region of the processes of user `uid` in the mount namespace numbered `mount_namespace` (the number in
/// `readlink /proc/self/ns/mnt`), for when no path is given.
///
/// Containers that share the host's `/dev/shm` differ in their mount namespace, and users differ in `uid`.
#[must_use]
pub fn default_region(uid: u32, mount_namespace: u64) -> PathBuf {
    PathBuf::from(format!("/dev/shm/vgpu-{uid}-{mount_namespace}"))
}

/// The user of a region whose file has this name, if it is one that [`default_region`] chooses.
#[must_use]
pub fn default_region_user(name: &str) -> Option<u32> {
    let (uid, mount_namespace) = name.strip_prefix("vgpu-")?.split_once('-')?;
    let (uid, mount_namespace) = (uid.parse().ok()?, mount_namespace.parse().ok()?);
    (default_region(uid, mount_namespace).file_name()?.to_str()? == name).then_some(uid)
}

/// How a region of HAMi's library begins: this number in the machine's byte order.
pub const HAMI_MAGIC: i32 = 19_920_718;

/// The region to use when `path` holds another program's file, which is never overwritten.
#[must_use]
pub fn region_beside(path: &Path) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(".vgpu");
    PathBuf::from(name)
}

/// The directory of running slices inside a runtime directory that belongs to one user, such as `$XDG_RUNTIME_DIR`.
pub const RUNS_DIR: &str = "vgpu";

/// The directory of running slices of user `uid` where no runtime directory is given.
#[must_use]
pub fn fallback_runs_dir(uid: u32) -> PathBuf {
    PathBuf::from(format!("/dev/shm/vgpu-run-{uid}"))
}

/// The accounting region inside the directory of a running slice.
pub const RUN_REGION: &str = "region";
/// The directory with the limits page inside the directory of a running slice.
pub const RUN_LIMITS_DIR: &str = "limits";
/// The list of a running slice's GPUs inside its directory.
pub const RUN_GPUS: &str = "gpus";
/// The file that the supervisor of a running slice keeps locked while it lives.
pub const RUN_LOCK: &str = "lock";

/// The file in the directory of running slices that the owner of balance and priorities among them keeps locked.
pub const RUNS_LEADER: &str = "leader";

/// The name of a running slice's directory: the supervisor's process id, and a random number against reuse of that id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunName {
    /// The supervisor's process id.
    pub pid: u32,
    /// Makes the name unique.
    pub random: u64,
}

impl std::fmt::Display for RunName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "run-{}-{:016x}", self.pid, self.random)
    }
}

impl RunName {
    /// Reads what `Display` writes; `None` for any other file name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        let (pid, random) = name.strip_prefix("run-")?.split_once('-')?;
        let run = Self { pid: pid.parse().ok()?, random: u64::from_str_radix(random, 16).ok()? };
        (run.to_string() == name).then_some(run)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn names() {
        assert_eq!(limits_file(Path::new(LIMITS_DIR)), Path::new("/etc/vgpu/limits/limits"));
        assert_eq!(default_region(1000, 4_026_531_841), Path::new("/dev/shm/vgpu-1000-4026531841"));
        for (name, uid) in [
            ("vgpu-1000-4026531841", Some(1000)),
            ("vgpu-run-1000", None),
            ("vgpu-1000-", None),
            ("vgpu-1000-1.vgpu", None),
            ("vgpu-01000-1", None),
            ("other", None),
        ] {
            assert_eq!(default_region_user(name), uid, "{name}");
        }
        assert_eq!(region_beside(Path::new("/tmp/cudevshr.cache")), Path::new("/tmp/cudevshr.cache.vgpu"));
        assert_eq!(fallback_runs_dir(0), Path::new("/dev/shm/vgpu-run-0"));
    }

    #[test]
    fn other_names_are_no_runs() {
        for name in [
            "",
            "run-",
            "run-1",
            "run-1-",
            "run--1",
            "run-1-xyz",
            "run-01-0000000000000001",
            "run-1-1",
            "lock",
        ] {
            assert_eq!(RunName::parse(name), None, "{name}");
        }
    }

    proptest! {
        #[test]
        fn run_names_are_read_back(pid: u32, random: u64) {
            let run = RunName { pid, random };
            prop_assert_eq!(RunName::parse(&run.to_string()), Some(run));
        }
    }
}
