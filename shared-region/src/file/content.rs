//! What a file holds, and reading and writing it whole.

use std::os::fd::BorrowedFd;

use rustix::fs::fstat;
use rustix::io::{Errno, pread, pwrite};

use crate::error::OpenFault;
use crate::layout::{HEADER, HEADER_SIZE, HEADER_WORDS, MAGIC, RegionFile, SIZE, VERSION};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Content {
    /// Nothing but zeros: new, or its maker died.
    Blank,
    /// A region of this version, whole.
    Region,
}

/// What the file holds, by its header and length.
pub(crate) fn examine(file: BorrowedFd<'_>) -> Result<Content, OpenFault> {
    // Almost always a region, which a few words tell.
    let mut bytes = [0; size_of_val(&HEADER)];
    read_at(file, &mut bytes, 0)?;
    if header_of(&bytes) == HEADER {
        return whole(file);
    }
    let mut page = blank_page();
    let length = read_at(file, &mut page, 0)?;
    let header = header_of(&page);
    match header {
        [MAGIC, ..] if length < HEADER_SIZE => Err(OpenFault::Truncated { length: length as u64 }),
        [MAGIC, VERSION, ..] if header == HEADER => whole(file),
        [MAGIC, VERSION, ..] => Err(OpenFault::Header),
        [MAGIC, version, ..] => Err(OpenFault::Version(version)),
        _ if is_blank(&page) => Ok(Content::Blank),
        _ => Err(OpenFault::Foreign),
    }
}

fn header_of(bytes: &[u8]) -> [u64; HEADER_WORDS] {
    let (words, _) = bytes.as_chunks();
    let mut header = [0; HEADER_WORDS];
    for (value, word) in header.iter_mut().zip(words) {
        *value = u64::from_ne_bytes(*word);
    }
    header
}

/// A page to read into. Not on the stack: the application's threads may have small ones.
pub(super) fn blank_page() -> Box<[u8]> {
    vec![0; HEADER_SIZE].into_boxed_slice()
}

/// Whether a file's first page is all zero but for parts of the header that a maker who died has left, without the magic number.
pub(super) fn is_blank(page: &[u8]) -> bool {
    let mut header = HEADER;
    header[0] = 0;
    let header = header.map(u64::to_ne_bytes);
    let written = header.as_flattened().iter().chain(core::iter::repeat(&0));
    page.iter().zip(written).all(|(&byte, &good)| byte == 0 || byte == good)
}

/// Whether a file without a header has devices or slots in it, as only a region has that had one.
pub(super) fn is_used(file: BorrowedFd<'_>) -> Result<bool, OpenFault> {
    let mut part = blank_page();
    for offset in (HEADER_SIZE..RegionFile::CELLS_OFFSET).step_by(part.len()) {
        let length = read_at(file, &mut part, offset)?;
        if part.iter().take(length).any(|byte| *byte != 0) {
            return Ok(true);
        }
    }
    Ok(false)
}

fn whole(file: BorrowedFd<'_>) -> Result<Content, OpenFault> {
    let length = length(file)?;
    if length < SIZE as u64 { Err(OpenFault::Truncated { length }) } else { Ok(Content::Region) }
}

pub(crate) fn length(file: BorrowedFd<'_>) -> Result<u64, OpenFault> {
    let stat = fstat(file).map_err(system("examine it"))?;
    Ok(u64::try_from(stat.st_size).unwrap_or(0))
}

/// Reads until `buffer` is full or the file ends; the bytes read.
pub(crate) fn read_at(file: BorrowedFd<'_>, buffer: &mut [u8], offset: usize) -> Result<usize, OpenFault> {
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

pub(crate) fn write_at(file: BorrowedFd<'_>, bytes: &[u8], offset: usize) -> Result<(), OpenFault> {
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

pub(crate) fn system(what: &'static str) -> impl Fn(Errno) -> OpenFault {
    move |error| match error {
        Errno::NOSPC | Errno::DQUOT => OpenFault::NoSpace,
        Errno::MFILE | Errno::NFILE => OpenFault::NoDescriptor,
        _ => OpenFault::System { what, error: error.into() },
    }
}
