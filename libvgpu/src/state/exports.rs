//! Descriptors of memory that this process has exported: whether anybody still has one.
//!
//! A descriptor may have been passed anywhere. But the kernel drops a file from every epoll set when the last descriptor of it is
//! closed, and shows what is in a set in `/proc/self/fdinfo`. So exported files are put into a set that nobody waits on; this
//! keeps none of them open.

use core::ffi::c_int;
use core::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::collections::BTreeSet;
use std::fs::read_to_string;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::sync::{Mutex, OnceLock, PoisonError};
use tracker::Table;

/// The export of which nothing is known: somebody may always have it.
pub(super) const UNKNOWN: u64 = u64::MAX;

/// What the file is called in the set that is always there. An application may have closed all descriptors that it does not
/// know, and the set's number may be that of a file of its own by now.
const OURS: u64 = 0;

/// The lowest number for our descriptors: applications count from 3.
const HIGH: c_int = 512;

/// The exports of this process.
#[derive(Default)]
pub(super) struct Exports {
    set: OnceLock<Option<Set>>,
    last: AtomicU64,
    /// By number of a descriptor, the last export that had it.
    numbers: Mutex<Table<c_int, u64>>,
}

/// An epoll set.
struct Set {
    epoll: OwnedFd,
    _ours: OwnedFd,
}

impl Exports {
    /// Watches the file of `descriptor`, which was just exported, and says what it is called from now on.
    pub(super) fn watch(&self, descriptor: c_int) -> u64 {
        let Some(set) = self.set.get_or_init(Set::new) else { return UNKNOWN };
        let export = self.last.fetch_add(1, Relaxed) + 1;
        if set.members().is_none() || !set.control(libc::EPOLL_CTL_ADD, descriptor, export) {
            return UNKNOWN;
        }
        self.numbers.lock().unwrap_or_else(PoisonError::into_inner).insert(descriptor, export);
        export
    }

    /// The export that `descriptor` is, if it has not been closed since.
    pub(super) fn of(&self, descriptor: c_int) -> Option<u64> {
        let set = self.set.get()?.as_ref()?;
        let numbers = self.numbers.lock().unwrap_or_else(PoisonError::into_inner);
        let export = *numbers.get(&descriptor)?;
        // Of a number and a file that are not together in the set nothing can be changed.
        (set.members().is_some() && set.control(libc::EPOLL_CTL_MOD, descriptor, export)).then_some(export)
    }

    /// The exports of which somebody has a descriptor; `None` where that cannot be told.
    pub(super) fn open(&self) -> Option<BTreeSet<u64>> {
        self.set.get()?.as_ref()?.members()
    }
}

impl Set {
    fn new() -> Option<Self> {
        // SAFETY: no pointers are passed.
        let epoll = out_of_the_way(unsafe { libc::epoll_create1(libc::EPOLL_CLOEXEC) })?;
        // SAFETY: as above.
        let ours = out_of_the_way(unsafe { libc::eventfd(0, libc::EFD_CLOEXEC) })?;
        let set = Self { epoll, _ours: ours };
        set.control(libc::EPOLL_CTL_ADD, set._ours.as_raw_fd(), OURS).then_some(set)
    }

    fn control(&self, operation: c_int, descriptor: c_int, data: u64) -> bool {
        let mut event = libc::epoll_event { events: 0, u64: data };
        // SAFETY: `event` is valid for reading; the kernel checks both numbers.
        unsafe { libc::epoll_ctl(self.epoll.as_raw_fd(), operation, descriptor, &raw mut event) == 0 }
    }

    /// What is in the set; `None` where the kernel does not show it, or where it is not ours any more.
    fn members(&self) -> Option<BTreeSet<u64>> {
        let shown = read_to_string(format!("/proc/self/fdinfo/{}", self.epoll.as_raw_fd())).ok()?;
        let members: BTreeSet<_> = shown.lines().filter_map(data_of).collect();
        members.contains(&OURS).then_some(members)
    }
}

/// The data of a line about a file in a set: `tfd: 5 events: 0 data: 2a pos:0 ...`.
fn data_of(line: &str) -> Option<u64> {
    let (_, rest) = line.strip_prefix("tfd:")?.split_once("data:")?;
    u64::from_str_radix(rest.split_whitespace().next()?, 16).ok()
}

/// The descriptor `number`, which is new, under a number that applications seldom use.
fn out_of_the_way(number: c_int) -> Option<OwnedFd> {
    if number < 0 {
        return None;
    }
    // SAFETY: the caller has just got it from the kernel.
    let low = unsafe { OwnedFd::from_raw_fd(number) };
    // SAFETY: takes a number and no pointer.
    let high = unsafe { libc::fcntl(low.as_raw_fd(), libc::F_DUPFD_CLOEXEC, HIGH) };
    if high < 0 {
        return Some(low);
    }
    // SAFETY: as above.
    Some(unsafe { OwnedFd::from_raw_fd(high) })
}
