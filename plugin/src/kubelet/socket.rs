//! The files of Unix sockets: which one it is, and putting ours where kubelet looks for it.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use tokio::net::UnixListener;

/// Tells a socket file from another one that was made at the same path later, also where inode numbers are used again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Identity {
    device: u64,
    inode: u64,
    changed: (i64, i64),
}

impl Identity {
    /// Of the file that is at `path` now; `None` when there is none.
    pub(super) fn of(path: &Path) -> Option<Self> {
        let file = fs::symlink_metadata(path).ok()?;
        Some(Self { device: file.dev(), inode: file.ino(), changed: (file.ctime(), file.ctime_nsec()) })
    }
}

/// Listens at `path`. What an agent that has died left there is replaced, and at no time is there nothing.
pub(super) fn listen(path: &Path) -> io::Result<UnixListener> {
    let temporary = path.with_extension("new");
    match fs::remove_file(&temporary) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let listener = UnixListener::bind(&temporary)?;
    fs::rename(&temporary, path)?;
    Ok(listener)
}
