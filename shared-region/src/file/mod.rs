//! Opening the region's file, or making one, so that whatever happens the result is a whole region or one clear error.

pub(crate) mod content;
mod create;

use std::io::ErrorKind::PermissionDenied;
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::fs::{FileType, Mode, OFlags, Stat, fchmod, fstat, open, stat};
use rustix::io::Errno;

use crate::error::{OpenError, OpenFault};
use content::{Content, examine, is_used, system};
use create::{fill_holes, initialise};

/// Whose processes share the region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sharing {
    /// One user's: a new file has mode 0600, and another user's file is refused.
    Private,
    /// Several users': a new file has mode 0666.
    AmongUsers,
}

/// Which file it is, whatever its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FileIdentity {
    device: u64,
    inode: u64,
}

impl From<&Stat> for FileIdentity {
    fn from(stat: &Stat) -> Self {
        Self { device: stat.st_dev, inode: stat.st_ino }
    }
}

/// A region's file, checked.
pub(crate) struct OpenFile {
    pub(crate) file: OwnedFd,
    pub(crate) path: PathBuf,
    pub(crate) identity: FileIdentity,
}

/// Opens the region at `path`, made if there is none; its sibling if `path` holds another program's data.
pub(crate) fn open_or_create(path: &Path, sharing: Sharing) -> Result<OpenFile, OpenError> {
    path_or_sibling(path, |path| open_one(path, sharing))
}

/// Opens the region at `path` for reading, or its sibling; `None` when no process has used it yet.
///
/// A region that has lost its header is no reason to believe that there are no processes.
pub(crate) fn open_to_read(path: &Path) -> Result<Option<OwnedFd>, OpenError> {
    let opened = path_or_sibling(path, |path| {
        let file = open_existing(path, OFlags::RDONLY)?.ok_or(OpenFault::Missing)?;
        regular(&file)?;
        match examine(file.as_fd())? {
            Content::Region => Ok(Some(file)),
            Content::Blank if is_used(file.as_fd())? => Err(OpenFault::Header),
            Content::Blank => Ok(None),
        }
    });
    opened.map_err(|error| match error.fault {
        // What stands at the path itself is more to the point than that there is nothing beside it.
        OpenFault::Missing if error.path != path => {
            OpenError { path: path.to_owned(), fault: OpenFault::Foreign }
        }
        _ => error,
    })
}

/// Does `open` with `path`, and with its sibling if `path` holds another program's data.
fn path_or_sibling<T>(path: &Path, open: impl Fn(&Path) -> Result<T, OpenFault>) -> Result<T, OpenError> {
    match open(path) {
        Err(OpenFault::Foreign) => {
            let path = contract::paths::region_beside(path);
            open(&path).map_err(|fault| OpenError { path, fault })
        }
        result => result.map_err(|fault| OpenError { path: path.to_owned(), fault }),
    }
}

fn open_one(path: &Path, sharing: Sharing) -> Result<OpenFile, OpenFault> {
    let file = open_file(path, sharing)?;
    let stat = regular(&file)?;
    let me = rustix::process::geteuid().as_raw();
    if sharing == Sharing::Private && me != 0 && stat.st_uid != me && stat.st_uid != 0 {
        return Err(OpenFault::NotOurs { owner: stat.st_uid });
    }
    if examine(file.as_fd())? == Content::Blank {
        initialise(file.as_fd())?;
    }
    fill_holes(file.as_fd())?;
    Ok(OpenFile { file, path: path.to_owned(), identity: FileIdentity::from(&stat) })
}

/// Opens the file at `path` for the second time, for locks: `None` if the path names another file by now.
pub(crate) fn reopen(
    path: &Path,
    identity: FileIdentity,
    access: OFlags,
) -> rustix::io::Result<Option<OwnedFd>> {
    let file = match open(path, access | FLAGS, Mode::empty()) {
        Err(Errno::NOENT | Errno::LOOP) => return Ok(None),
        result => result?,
    };
    let stat = fstat(&file)?;
    Ok((FileIdentity::from(&stat) == identity).then_some(file))
}

/// Never through a link that somebody planted, never waiting for the other end of a FIFO.
const FLAGS: OFlags = OFlags::CLOEXEC.union(OFlags::NOFOLLOW).union(OFlags::NONBLOCK);

/// Opens first and creates second: the kernel may refuse `O_CREAT` for an existing file in a sticky directory
/// (`fs.protected_regular`), even to root.
fn open_file(path: &Path, sharing: Sharing) -> Result<OwnedFd, OpenFault> {
    let mode = match sharing {
        Sharing::Private => Mode::RUSR | Mode::WUSR,
        Sharing::AmongUsers => Mode::from_raw_mode(0o666),
    };
    // Each turn is lost to a process that creates or removes the file at this very moment.
    for _ in 0..100 {
        match open_existing(path, OFlags::RDWR) {
            Ok(Some(file)) => return Ok(file),
            Ok(None) => {}
            Err(OpenFault::System { error, .. })
                if error.kind() == PermissionDenied
                    && sharing == Sharing::AmongUsers
                    && is_being_made(path) =>
            {
                std::thread::sleep(Duration::from_millis(1));
                continue;
            }
            Err(fault) => return Err(fault),
        }
        match open(path, OFlags::RDWR | FLAGS | OFlags::CREATE | OFlags::EXCL, mode) {
            Err(Errno::EXIST) => {}
            // A name that is to be made is not missing: what leads to it is.
            Err(Errno::NOENT) => return Err(OpenFault::NoDirectory),
            Err(error) => return Err(system("create it")(error)),
            Ok(file) => {
                // The umask is for files in general; this one is useless without its mode. A file system without modes refuses, and
                // has its own way to say who may open it.
                let _ = fchmod(&file, mode);
                return Ok(file);
            }
        }
    }
    Err(OpenFault::Busy)
}

/// Whether the file may be between its creation and the change of its mode: there, and not ours to open yet.
fn is_being_made(path: &Path) -> bool {
    stat(path).is_ok_and(|stat| stat.st_size == 0)
}

/// `None` when there is no such file.
fn open_existing(path: &Path, access: OFlags) -> Result<Option<OwnedFd>, OpenFault> {
    match open(path, access | FLAGS, Mode::empty()) {
        Err(Errno::NOENT) => Ok(None),
        Err(Errno::NOTDIR) => Err(OpenFault::NoDirectory),
        Err(Errno::ISDIR | Errno::NXIO) => Err(OpenFault::NotAFile),
        Err(Errno::LOOP) => Err(OpenFault::SymbolicLink),
        result => result.map(Some).map_err(system("open it")),
    }
}

fn regular(file: &OwnedFd) -> Result<Stat, OpenFault> {
    let stat = fstat(file).map_err(system("examine it"))?;
    let is_regular = FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile;
    if is_regular { Ok(stat) } else { Err(OpenFault::NotAFile) }
}
