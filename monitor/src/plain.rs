//! Opening files that a command may have replaced: whoever lists slices must not wait for, or follow, what it put there.

use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use rustix::fs::OFlags;

/// Opens the plain file at `path` for reading, never through a link and never waiting for the other end of a FIFO.
///
/// # Errors
/// Those of the system, and when something else is there.
pub(crate) fn open(path: &Path) -> io::Result<File> {
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits();
    let flags = i32::try_from(flags).map_err(io::Error::other)?;
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(io::Error::other("it is not a file")) }
}

/// What the file at `path` holds, at most so many bytes of it.
///
/// # Errors
/// Those of [`open`], and of reading.
pub(crate) fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let mut content = Vec::new();
    open(path)?.take(most).read_to_end(&mut content)?;
    Ok(content)
}
