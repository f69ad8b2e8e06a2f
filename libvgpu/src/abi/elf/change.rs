//! Changing words of a mapped object that its loader has made read-only.

use super::{Object, to_usize};
use core::ffi::{c_int, c_void};
use core::sync::atomic::{AtomicU32, Ordering::Acquire, Ordering::Relaxed, Ordering::Release};
use core::time::Duration;

/// Why an object's memory was not changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::abi) enum Denied {
    /// It is not the object's, or not laid out as expected.
    Layout,
    /// It can be executed: what can be is never made writable.
    Executable,
    /// The system does not let it be written.
    Protected,
}

impl Object<'_> {
    /// Runs `store`, which may write to the `length` bytes at `place`. Afterwards the memory is protected as before.
    pub(in crate::abi) fn change(
        &self,
        place: usize,
        length: usize,
        store: impl FnOnce(),
    ) -> Result<(), Denied> {
        let segment = self.segment(place).ok_or(Denied::Layout)?;
        if segment.p_flags & libc::PF_X != 0 {
            return Err(Denied::Executable);
        }
        let (first, end) = pages(place, length);
        if segment.p_flags & libc::PF_W != 0 && !self.is_sealed(first, end) {
            store();
            return Ok(());
        }
        // Two threads at one page: the first to finish would protect it under the other's store.
        let _turn = Turn::take();
        protect(first, end, libc::PROT_READ | libc::PROT_WRITE)?;
        store();
        // The system gave more than this a moment ago; if it does not take it back, nothing is lost but a precaution.
        let _ = protect(first, end, libc::PROT_READ);
        Ok(())
    }

    /// Whether the loader has write-protected any of these pages after relocating them, as it does with whole pages.
    fn is_sealed(&self, first: usize, end: usize) -> bool {
        self.headers.iter().filter(|header| header.p_type == libc::PT_GNU_RELRO).any(|header| {
            let start = self.base.wrapping_add(to_usize(header.p_vaddr));
            let size = page_size();
            let sealed = start / size * size..(start + to_usize(header.p_memsz)) / size * size;
            first < sealed.end && sealed.start < end
        })
    }
}

/// The pages that hold the `length` bytes at `place`.
fn pages(place: usize, length: usize) -> (usize, usize) {
    let size = page_size();
    (place / size * size, (place + length).div_ceil(size) * size)
}

fn page_size() -> usize {
    // SAFETY: `sysconf` has no preconditions.
    usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096)
}

fn protect(first: usize, end: usize, protection: c_int) -> Result<(), Denied> {
    // SAFETY: whole pages of an object that stays mapped; they are never made less than readable.
    let result = unsafe { libc::mprotect(first as *mut c_void, end - first, protection) };
    if result == 0 { Ok(()) } else { Err(Denied::Protected) }
}

/// The process whose thread is changing memory; 0 when none is.
static CHANGING: AtomicU32 = AtomicU32::new(0);

/// How long to wait before looking again whether the turn has ended.
const PAUSE: Duration = Duration::from_micros(50);

/// Held for two system calls and a store.
struct Turn;

impl Turn {
    fn take() -> Self {
        let own = std::process::id();
        let mut holder = 0;
        // A child may be forked while another thread of its parent holds the turn; nobody in the child will end it.
        while let Err(other) = CHANGING.compare_exchange(holder, own, Acquire, Relaxed) {
            holder = if other == own { 0 } else { other };
            // One of higher priority that only yields would keep the holder from running.
            std::thread::sleep(PAUSE);
        }
        Self
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        CHANGING.store(0, Release);
    }
}
