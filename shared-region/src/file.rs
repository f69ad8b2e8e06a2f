//! Opening the region's file, or making one, so that whatever happens the result is a whole region or one clear error.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::fs::{FallocateFlags, FileType, Mode, OFlags, Stat, fallocate, fstat, ftruncate, open};
use rustix::io::{Errno, pread, pwrite};

use crate::error::{OpenError, OpenFault};
use crate::layout::{HEADER, HEADER_SIZE, HEADER_WORDS, MAGIC, SIZE, VERSION, lock_bytes};
use crate::lock::Locked;

/// How long another process may take to prepare a new file.
const PATIENCE: Duration = Duration::from_secs(5);

/// Whose processes share the region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sharing {
    /// One user's: a new file has mode 0600, and another user's file is refused.
    Private,
    /// Several users': a new file has mode 0666 less the umask.
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
    let sibling = contract::paths::region_beside(path);
    match open_one(path, sharing) {
        Err(OpenFault::Foreign) => {
            open_one(&sibling, sharing).map_err(|fault| OpenError { path: sibling, fault })
        }
        result => result.map_err(|fault| OpenError { path: path.to_owned(), fault }),
    }
}

fn open_one(path: &Path, sharing: Sharing) -> Result<OpenFile, OpenFault> {
    let file = open_file(path, sharing)?;
    let stat = fstat(&file).map_err(system("examine it"))?;
    if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
        return Err(OpenFault::NotAFile);
    }
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
    let flags = OFlags::RDWR | FLAGS;
    // Each turn is lost to a process that creates or removes the file at this very moment.
    for _ in 0..100 {
        match open(path, flags, Mode::empty()) {
            Err(Errno::NOENT) => {}
            Err(Errno::ISDIR | Errno::NXIO) => return Err(OpenFault::NotAFile),
            Err(Errno::LOOP) => return Err(OpenFault::SymbolicLink),
            result => return result.map_err(system("open it")),
        }
        match open(path, flags | OFlags::CREATE | OFlags::EXCL, mode) {
            Err(Errno::EXIST) => {}
            result => return result.map_err(system("create it")),
        }
    }
    Err(OpenFault::Busy)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Content {
    /// Nothing but zeros: new, or its maker died.
    Blank,
    /// A region of this version, whole.
    Region,
}

/// What the file holds, by its header and length.
fn examine(file: BorrowedFd<'_>) -> Result<Content, OpenFault> {
    let mut page = [0; HEADER_SIZE];
    let length = read_at(file, &mut page, 0)?;
    let (words, _) = page.as_chunks();
    let mut header = [0; HEADER_WORDS];
    for (value, word) in header.iter_mut().zip(words) {
        *value = u64::from_ne_bytes(*word);
    }
    match header {
        [MAGIC, ..] if length < HEADER_SIZE => Err(OpenFault::Truncated { length: length as u64 }),
        [MAGIC, VERSION, ..] if header == HEADER => whole(file),
        [MAGIC, VERSION, ..] => Err(OpenFault::Header),
        [MAGIC, version, ..] => Err(OpenFault::Version(version)),
        _ if page.iter().all(|&byte| byte == 0) => Ok(Content::Blank),
        _ => Err(OpenFault::Foreign),
    }
}

fn whole(file: BorrowedFd<'_>) -> Result<Content, OpenFault> {
    let length = length(file)?;
    if length < SIZE as u64 { Err(OpenFault::Truncated { length }) } else { Ok(Content::Region) }
}

/// Turns a blank file into a region, unless another process does so first.
///
/// The magic number comes last, so that a maker who dies leaves a blank file, and his lock goes with him: the next one
/// takes over.
fn initialise(file: BorrowedFd<'_>) -> Result<(), OpenFault> {
    let locked = Locked::within(file, lock_bytes::INITIALISE, PATIENCE).map_err(system("lock it"))?;
    let _lock = locked.ok_or(OpenFault::Busy)?;
    if examine(file)? == Content::Region {
        return Ok(());
    }
    if !is_all_zero(file)? {
        return Err(OpenFault::Foreign);
    }
    take_space(file)?;
    let bytes = HEADER.map(u64::to_ne_bytes);
    let (magic, rest) = bytes.as_flattened().split_at(size_of_val(&MAGIC));
    write_at(file, rest, magic.len())?;
    write_at(file, magic, 0)
}

/// Whether the file is no longer than a region and all zero. Only then may it be written to.
fn is_all_zero(file: BorrowedFd<'_>) -> Result<bool, OpenFault> {
    let length = length(file)?;
    if length > SIZE as u64 {
        return Ok(false);
    }
    let mut buffer = [0; HEADER_SIZE];
    let mut offset = 0;
    loop {
        let read = read_at(file, &mut buffer, offset)?;
        if read == 0 {
            return Ok(true);
        }
        if buffer.iter().take(read).any(|&byte| byte != 0) {
            return Ok(false);
        }
        offset += read;
    }
}

/// Gives the file its full length with every block behind it, so that a full disk is an error now and not a SIGBUS later.
fn take_space(file: BorrowedFd<'_>) -> Result<(), OpenFault> {
    let taken = match fallocate(file, FallocateFlags::empty(), 0, SIZE as u64) {
        // The file system cannot: write the zeros.
        Err(Errno::OPNOTSUPP) => write_zeros(file),
        result => result.map_err(system("take space for it")),
    };
    if taken.is_err() {
        // Give back what was had of it. It stays blank for the next try.
        let _ = ftruncate(file, 0);
    }
    taken
}

fn write_zeros(file: BorrowedFd<'_>) -> Result<(), OpenFault> {
    let zeros = [0; HEADER_SIZE];
    (0..SIZE).step_by(zeros.len()).try_for_each(|offset| write_at(file, &zeros, offset))
}

/// Puts blocks behind a region whose file has been copied or restored with holes.
fn fill_holes(file: BorrowedFd<'_>) -> Result<(), OpenFault> {
    /// The unit of `st_blocks`.
    const BLOCK: u64 = 512;
    let stat = fstat(file).map_err(system("examine it"))?;
    if u64::try_from(stat.st_blocks).is_ok_and(|blocks| blocks >= SIZE as u64 / BLOCK) {
        return Ok(());
    }
    match fallocate(file, FallocateFlags::empty(), 0, SIZE as u64) {
        // A compressing file system may count few blocks for many bytes, and then cannot do this either.
        Err(Errno::OPNOTSUPP) => Ok(()),
        result => result.map_err(system("take space for it")),
    }
}

fn length(file: BorrowedFd<'_>) -> Result<u64, OpenFault> {
    let stat = fstat(file).map_err(system("examine it"))?;
    Ok(u64::try_from(stat.st_size).unwrap_or(0))
}

/// Reads until `buffer` is full or the file ends; the bytes read.
fn read_at(file: BorrowedFd<'_>, buffer: &mut [u8], offset: usize) -> Result<usize, OpenFault> {
    let mut done = 0;
    while let Some(rest) = buffer.get_mut(done..).filter(|rest| !rest.is_empty()) {
        match pread(file, rest, (offset + done) as u64) {
            Ok(0) => break,
            Ok(read) => done += read,
            Err(Errno::INTR) => {}
            Err(error) => return Err(system("read it")(error)),
        }
    }
    Ok(done)
}

fn write_at(file: BorrowedFd<'_>, bytes: &[u8], offset: usize) -> Result<(), OpenFault> {
    let mut done = 0;
    while let Some(rest) = bytes.get(done..).filter(|rest| !rest.is_empty()) {
        match pwrite(file, rest, (offset + done) as u64) {
            Ok(written) => done += written,
            Err(Errno::INTR) => {}
            Err(error) => return Err(system("write it")(error)),
        }
    }
    Ok(())
}

fn system(what: &'static str) -> impl Fn(Errno) -> OpenFault {
    move |error| match error {
        Errno::NOSPC | Errno::DQUOT => OpenFault::NoSpace,
        _ => OpenFault::System { what, error: error.into() },
    }
}
