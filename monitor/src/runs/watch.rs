//! Waiting for a change of a slice's limits page, for whoever has nothing else to do: the kernel tells, nothing is polled.

use std::io;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::path::PathBuf;

use contract::limits_page::Page;
use rustix::fs::inotify::{self, CreateFlags, Reader, WatchFlags};
use rustix::io::retry_on_intr;

use super::{limits_file, run::Run};
use crate::page;

/// Tells of changes of a slice's limits page: whoever makes one closes the file afterwards.
#[derive(Debug)]
pub struct PageWatch {
    events: OwnedFd,
    file: PathBuf,
}

impl Run {
    /// Begins to watch the limits page.
    ///
    /// # Errors
    /// Those of the system, which allows every user only so many watches.
    pub fn watch(&self) -> io::Result<PageWatch> {
        let events = inotify::init(CreateFlags::CLOEXEC)?;
        let file = limits_file(&self.dir);
        inotify::add_watch(&events, &file, WatchFlags::CLOSE_WRITE)?;
        Ok(PageWatch { events, file })
    }
}

impl PageWatch {
    /// Waits until the page is as `wanted`, which it may be already. One that cannot be read is not.
    ///
    /// # Errors
    /// Those of the system.
    pub fn wait_until(&self, wanted: impl Fn(&Page) -> bool) -> io::Result<()> {
        let mut buffer = [MaybeUninit::uninit(); 256];
        let mut events = Reader::new(&self.events, &mut buffer);
        while !page::read(&self.file).is_ok_and(|page| wanted(&page)) {
            retry_on_intr(|| events.next().map(drop))?;
        }
        Ok(())
    }
}
