//! What can go wrong while opening, joining and clearing up, in one line each that names the file and the way out.

use std::fmt;
use std::io;
use std::path::PathBuf;

use rustix::io::Errno;

use crate::layout;

/// The region at `path` cannot be used.
#[derive(Debug)]
pub struct OpenError {
    /// The file that was asked for, or the sibling that stands in for it.
    pub path: PathBuf,
    /// What is wrong with it.
    pub fault: OpenFault,
}

/// What is wrong with a region's file.
#[derive(Debug)]
#[non_exhaustive]
pub enum OpenFault {
    /// There is no such file.
    Missing,
    /// The directory that the file is to be in does not exist.
    NoDirectory,
    /// The path names something that is not a regular file, such as a directory.
    NotAFile,
    /// The last component of the path is a symbolic link, which another user may have planted.
    SymbolicLink,
    /// The file belongs to another user.
    NotOurs {
        /// User id of the file's owner.
        owner: u32,
    },
    /// Nobody else's, but not a region: both the path and its sibling hold other data.
    Foreign,
    /// A region of a layout that this version does not know.
    Version(u64),
    /// The header contradicts the layout that it claims to have.
    Header,
    /// The file has been cut off.
    Truncated {
        /// Bytes of the file.
        length: u64,
    },
    /// The file system has no room for the region.
    NoSpace,
    /// The process may not write files as long as the region (`RLIMIT_FSIZE`); trying would end it by SIGXFSZ.
    FileSizeLimit {
        /// Bytes that a file may have.
        limit: u64,
    },
    /// No descriptor is left: to this process (`RLIMIT_NOFILE`) or to the machine.
    NoDescriptor,
    /// Another process has been preparing the file for several seconds.
    Busy,
    /// A system call failed.
    System {
        /// What was being done.
        what: &'static str,
        /// The system's answer.
        error: io::Error,
    },
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "shared region {}: {}", self.path.display(), self.fault)
    }
}

impl fmt::Display for OpenFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing => f.write_str("does not exist; a process that is limited makes it"),
            Self::NoDirectory => f.write_str(
                "is in a directory that does not exist; create the directory or name another path",
            ),
            Self::NotAFile => {
                f.write_str("is not a regular file; name a file, or a path where one can be created")
            }
            Self::SymbolicLink => {
                f.write_str("is a symbolic link, which is not followed; name the file itself")
            }
            Self::NotOurs { owner } => write!(f, "belongs to user {owner}; remove it or name another path"),
            Self::Foreign => f.write_str(
                "holds another program's data, and there is no region beside it; name another path",
            ),
            Self::Version(version) => write!(
                f,
                "has layout version {version}, this library knows {}; remove it when no process uses it",
                layout::VERSION
            ),
            Self::Header => f.write_str("has a damaged header; remove it when no process uses it"),
            Self::Truncated { length } => {
                write!(
                    f,
                    "is cut off at {length} of {} bytes; remove it when no process uses it",
                    layout::SIZE
                )
            }
            Self::NoSpace | Self::FileSizeLimit { .. } | Self::NoDescriptor => self.fmt_scarcity(f),
            Self::Busy => {
                f.write_str("another process has not finished creating it; end that process and try again")
            }
            Self::System { what, error } => {
                let remedy = match error.kind() {
                    io::ErrorKind::OutOfMemory => "raise the limit on this process's memory (ulimit -v)",
                    _ => "make it readable and writable",
                };
                write!(f, "cannot {what}: {error}; {remedy}")
            }
        }
    }
}

impl OpenFault {
    /// What of the machine's is lacking.
    fn fmt_scarcity(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let size = layout::SIZE;
        match self {
            Self::NoSpace => {
                write!(f, "the file system has no room for its {size} bytes; free some or name another path")
            }
            Self::FileSizeLimit { limit } => write!(
                f,
                "needs {size} bytes, and this process may not write files longer than {limit}; raise its limit on the size of \
                 files (ulimit -f)"
            ),
            _ => f.write_str(NO_DESCRIPTOR),
        }
    }
}

impl std::error::Error for OpenError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.fault {
            OpenFault::System { error, .. } => Some(error),
            _ => None,
        }
    }
}

/// What to say when the kernel says EMFILE or ENFILE.
const NO_DESCRIPTOR: &str =
    "cannot be opened, too many files are open already; close some or raise the limit (ulimit -n)";

/// The process cannot become a member of the region at `path`.
#[derive(Debug)]
pub struct JoinError {
    /// The region's file.
    pub path: PathBuf,
    /// Why not.
    pub fault: LockFault,
}

/// The remains of dead processes cannot be cleared up in the region at `path`.
#[derive(Debug)]
pub struct ReapError {
    /// The region's file.
    pub path: PathBuf,
    /// Why not.
    pub fault: LockFault,
}

/// What is wrong with the slots of a region.
#[derive(Debug)]
#[non_exhaustive]
pub enum LockFault {
    /// All slots belong to living processes.
    Full,
    /// The path no longer names the file that is mapped.
    Replaced,
    /// The caller is a forked child, which is not a member until it joins anew.
    NotAMember,
    /// No descriptor is left: to this process (`RLIMIT_NOFILE`) or to the machine.
    NoDescriptor,
    /// A system call failed.
    System {
        /// What was being done.
        what: &'static str,
        /// The system's answer.
        error: io::Error,
    },
}

impl fmt::Display for LockFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Full => write!(
                f,
                "{} processes share this region already; end some, or give the others a region of their own",
                crate::SlotId::COUNT
            ),
            Self::Replaced => f.write_str(
                "the file was removed or replaced while in use; end the processes that still use the old one",
            ),
            Self::NotAMember => f.write_str("a forked child is not a member; it must join anew"),
            Self::NoDescriptor => f.write_str(NO_DESCRIPTOR),
            Self::System { what, error } => {
                write!(
                    f,
                    "cannot {what}: {error}; use a local file system with byte-range locks, such as /dev/shm"
                )
            }
        }
    }
}

impl fmt::Display for JoinError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cannot join shared region {}: {}", self.path.display(), self.fault)
    }
}

impl fmt::Display for ReapError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cannot clear up shared region {}: {}", self.path.display(), self.fault)
    }
}

impl std::error::Error for JoinError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.fault.source()
    }
}

impl std::error::Error for ReapError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.fault.source()
    }
}

impl LockFault {
    /// Says what was being done when a system call failed.
    pub(crate) fn because(what: &'static str) -> impl Fn(Errno) -> Self {
        move |error| match error {
            Errno::MFILE | Errno::NFILE => Self::NoDescriptor,
            _ => Self::System { what, error: error.into() },
        }
    }

    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::System { error, .. } => Some(error),
            _ => None,
        }
    }
}

impl From<Errno> for LockFault {
    fn from(error: Errno) -> Self {
        Self::because("lock the file")(error)
    }
}
