//! Keeping a slot's life lock for as long as the process lives, and not a moment longer.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::io::Result;
use rustix::mm::ProtFlags;
use rustix::process::{Resource, getrlimit};

use crate::layout::{HELD_BY_DESCRIPTOR, HELD_BY_MAPPING, HELD_BY_SHARED_MAPPING};
use crate::lock;
use crate::mapping::{Mapping, PAGE};

/// What keeps the lock.
#[derive(Debug)]
pub(crate) enum Hold {
    /// A page mapped through the locking description, whose descriptor is closed. The application cannot close it by accident,
    /// and forked children do not inherit it.
    Mapping {
        /// Unmapped when the hold ends.
        _page: Mapping,
    },
    /// The descriptor, on file systems where a mapping refers to another description (overlayfs).
    Descriptor(OwnedFd),
}

impl Hold {
    /// Locks `byte` for the life of this process; `None` if it is locked already.
    ///
    /// `open` opens a new description of the file. `witness` is one more; through it the lock is asked for after the
    /// descriptor is closed. The caller makes sure that nobody else locks `byte` meanwhile.
    pub(crate) fn take<E: From<rustix::io::Errno>>(
        byte: u64,
        witness: BorrowedFd<'_>,
        open: impl Fn() -> core::result::Result<OwnedFd, E>,
    ) -> core::result::Result<Option<Self>, E> {
        let file = open()?;
        if !lock::try_lock(&file, byte)? {
            return Ok(None);
        }
        let page = map_for_lock(file.as_fd());
        drop(file);
        if let Ok(page) = page
            && lock::is_locked(witness, byte)?
        {
            return Ok(Some(Self::Mapping { _page: page }));
        }
        let file = out_of_the_way(open()?);
        Ok(lock::try_lock(&file, byte)?.then_some(Self::Descriptor(file)))
    }

    /// How this is written in the slot. `alone`: the process had one thread, so that nobody could fork in the middle of `take`.
    pub(crate) const fn kind(&self, alone: bool) -> u64 {
        match self {
            Self::Mapping { .. } if alone => HELD_BY_MAPPING,
            Self::Mapping { .. } => HELD_BY_SHARED_MAPPING,
            Self::Descriptor(_) => HELD_BY_DESCRIPTOR,
        }
    }
}

fn map_for_lock(file: BorrowedFd<'_>) -> Result<Mapping> {
    let page = Mapping::shared(file, PAGE, ProtFlags::READ)?;
    page.not_in_children()?;
    Ok(page)
}

/// The same description under a number that applications seldom use: they count from 3, and `dup2` to small numbers.
fn out_of_the_way(file: OwnedFd) -> OwnedFd {
    const HIGH: u64 = 512;
    let limit = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
    let lowest = i32::try_from(HIGH.min(limit / 2)).unwrap_or(0);
    rustix::io::fcntl_dupfd_cloexec(&file, lowest).unwrap_or(file)
}
