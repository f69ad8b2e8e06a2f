//! Where the limits of this process come from: the limits page, the environment, or nowhere.

use super::page::Page;
use super::variables::Variables;
use contract::env::{self, EnvLimits, Variables as _};
use contract::paths;
use core::mem::MaybeUninit;
use shared_region::{OpenError, Region};
use std::ffi::CString;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// What the supervisor and the environment ask of this process.
pub(crate) struct Settings {
    pub(super) page: Option<Page>,
    pub(super) env: EnvLimits,
}

impl Settings {
    /// Reads them; `None` when there is neither a page nor a limit in the environment.
    ///
    /// # Errors
    /// One line for standard error: a limit that cannot be understood is never "no limit".
    pub(super) fn read() -> Result<Option<Self>, String> {
        let variables = Variables::of_process();
        let env = EnvLimits::read_from(&variables).map_err(|error| error.to_string())?;
        let page = page_path(&variables).map(|path| Page::open(&path)).transpose()?;
        Ok((page.is_some() || !env.is_empty()).then_some(Self { page, env }))
    }

    /// Opens the accounting region. One whose path is given may be for processes of several users, as in a container
    /// that starts as root and goes on as somebody else.
    pub(super) fn open_region(&self) -> Result<Region, OpenError> {
        match self.env.region() {
            Some(path) => Region::open_shared(path),
            None => Region::open(&default_region()),
        }
    }
}

/// A supervisor's page rules. It mounts it at a path that the environment cannot move; `vgpu run`, which limits the
/// programs of its own user, names another.
fn page_path(variables: &Variables) -> Option<PathBuf> {
    let mounted = Path::new(paths::LIMITS_DIR);
    if is_there(mounted) {
        return Some(paths::limits_file(mounted));
    }
    variables
        .get(env::LIMITS_DIR)
        .filter(|dir| !dir.is_empty())
        .map(|dir| paths::limits_file(Path::new(&dir)))
}

/// Whether there is anything of this name: a directory, but also a file or a link that leads nowhere in its place. Where
/// that cannot be told, as in a closed directory, there is, so that reading the page in it says why: a limit that cannot be
/// read is not "no limit".
///
/// By one system call, which takes no descriptor: a program without a limit may have none left, and is to run as if we were
/// not there. (The standard library's first one that finds nothing is followed by one more, to learn what the kernel can do.)
fn is_there(directory: &Path) -> bool {
    let Ok(directory) = CString::new(directory.as_os_str().as_bytes()) else { return false };
    let mut found = MaybeUninit::uninit();
    // SAFETY: a NUL-terminated path, and room for what is found.
    let result = unsafe { libc::lstat64(directory.as_ptr(), found.as_mut_ptr()) };
    result == 0 || io::Error::last_os_error().kind() != io::ErrorKind::NotFound
}

/// The default region belongs to one user in one container, which is one mount namespace.
fn default_region() -> PathBuf {
    let namespace = std::fs::metadata("/proc/self/ns/mnt").map_or(0, |metadata| metadata.ino());
    // SAFETY: `geteuid` has no preconditions.
    let uid = unsafe { libc::geteuid() };
    paths::default_region(uid, namespace)
}
