//! Making a region out of an empty file.

use std::os::fd::BorrowedFd;
use std::time::Duration;

use rustix::fs::{FallocateFlags, fallocate, fstat, ftruncate};
use rustix::io::Errno;
use rustix::process::{Resource, getrlimit};

use super::content::{Content, blank_page, examine, is_blank, length, read_at, system, write_at};
use crate::error::OpenFault;
use crate::layout::{HEADER, MAGIC, SIZE, lock_bytes};
use crate::lock::Locked;

/// How long another process may take to prepare a new file.
const PATIENCE: Duration = Duration::from_secs(5);

/// Turns a blank file into a region, unless another process does so first.
///
/// The magic number comes last, so that a maker who dies leaves a blank file, and his lock goes with him: the next one
/// takes over.
pub(super) fn initialise(file: BorrowedFd<'_>) -> Result<(), OpenFault> {
    let locked = Locked::within(file, lock_bytes::INITIALISE, PATIENCE).map_err(system("lock it"))?;
    let _lock = locked.ok_or(OpenFault::Busy)?;
    if examine(file)? == Content::Region {
        return Ok(());
    }
    if !is_unused(file)? {
        return Err(OpenFault::Foreign);
    }
    may_be_long_enough()?;
    take_space(file)?;
    let bytes = HEADER.map(u64::to_ne_bytes);
    let (magic, rest) = bytes.as_flattened().split_at(size_of_val(&MAGIC));
    write_at(file, rest, magic.len())?;
    write_at(file, magic, 0)
}

/// Whether the file is no longer than a region and nobody's data. Only then may it be written to.
fn is_unused(file: BorrowedFd<'_>) -> Result<bool, OpenFault> {
    if length(file)? > SIZE as u64 {
        return Ok(false);
    }
    let mut page = blank_page();
    let first = read_at(file, &mut page, 0)?;
    let mut unused = is_blank(page.get(..first).unwrap_or_default());
    let mut offset = first;
    while unused {
        let read = read_at(file, &mut page, offset)?;
        if read == 0 {
            break;
        }
        unused = page.iter().take(read).all(|&byte| byte == 0);
        offset += read;
    }
    Ok(unused)
}

/// Whether the process may write a file as long as a region. The kernel would kill it for trying, and not only say no.
fn may_be_long_enough() -> Result<(), OpenFault> {
    match getrlimit(Resource::Fsize).current {
        Some(limit) if limit < SIZE as u64 => Err(OpenFault::FileSizeLimit { limit }),
        _ => Ok(()),
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
    let zeros = blank_page();
    (0..SIZE).step_by(zeros.len()).try_for_each(|offset| write_at(file, &zeros, offset))
}

/// Puts blocks behind a region whose file has been copied or restored with holes.
pub(super) fn fill_holes(file: BorrowedFd<'_>) -> Result<(), OpenFault> {
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
