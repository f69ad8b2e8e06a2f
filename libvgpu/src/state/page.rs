//! The limits page, mapped read-only.

use contract::limits_page::{self as layout, ComputeWords, PageError, SharePolicy};
use contract::{Bytes, Uuid};
use core::ptr::NonNull;
use core::sync::atomic::{AtomicU64, Ordering::Acquire, Ordering::Relaxed};
use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::Duration;

/// A mapped limits page. Never unmapped: hooks may run until the very end of the process.
pub(crate) struct Page {
    words: NonNull<AtomicU64>,
    /// Whether launches on any GPU were to be metered when the page was read last, and under which sequence number that
    /// was: twice the number, and one more if so.
    metered: AtomicU64,
}

// SAFETY: the mapping is shared memory of atomics that this process only loads from.
unsafe impl Send for Page {}
// SAFETY: as above.
unsafe impl Sync for Page {}

impl Page {
    /// Maps the page at `path`.
    ///
    /// # Errors
    /// One line that names the file: the supervisor wanted this process limited, so a page that cannot be read must
    /// not let it run free.
    pub(super) fn open(path: &Path) -> Result<Self, String> {
        let explain = |reason: &dyn std::fmt::Display| {
            format!(
                "vgpu: the limits page {} cannot be used: {reason}; start the container or `vgpu run` anew",
                path.display()
            )
        };
        let page = map(path).map_err(|error| explain(&error))?;
        page.check().map_err(|error| explain(&error))?;
        Ok(page)
    }

    /// Whether launches on any GPU are to be metered. Two loads while the page stays as it is.
    #[inline]
    pub(super) fn meters_any(&self) -> bool {
        let seen = self.metered.load(Relaxed);
        if seen >> 1 == self.word(layout::SEQUENCE_WORD) { seen & 1 == 1 } else { self.look_for_metered() }
    }

    #[cold]
    fn look_for_metered(&self) -> bool {
        let sequence = self.word(layout::SEQUENCE_WORD);
        let any = (0..self.count()).any(|entry| meters(&self.compute_words(entry)));
        // While the page is being written, the next call looks again.
        if sequence.is_multiple_of(2) && self.word(layout::SEQUENCE_WORD) == sequence {
            self.metered.store(sequence << 1 | u64::from(any), Relaxed);
        }
        any
    }

    /// Decodes the whole page once, waiting a little for a writer to finish.
    fn check(&self) -> Result<(), PageError> {
        const TRIES: u32 = 100;
        for _ in 1..TRIES {
            match self.decode() {
                Err(PageError::BeingWritten) => std::thread::sleep(Duration::from_millis(1)),
                decided => return decided,
            }
        }
        self.decode()
    }

    fn decode(&self) -> Result<(), PageError> {
        let sequence = self.word(layout::SEQUENCE_WORD);
        // On the heap: applications make their first call from threads with very small stacks.
        let words: Vec<u64> = (0..layout::WORDS).map(|index| self.word(index)).collect();
        if self.word(layout::SEQUENCE_WORD) != sequence {
            return Err(PageError::BeingWritten);
        }
        let words = words.as_array().ok_or(PageError::Length(0))?;
        layout::Page::from_words(words).map(|_| ())
    }

    /// The place of `uuid` on the page; `None`: a GPU this container was not given.
    pub(super) fn position(&self, uuid: Uuid) -> Option<usize> {
        let (low, high) = uuid_words(uuid);
        (0..self.count()).find(|&entry| {
            let word = layout::uuid_word(entry);
            self.word(word) == low && self.word(word + 1) == high
        })
    }

    /// The memory limit now in force for the entry at `position`; `None` is no limit.
    #[inline]
    pub(super) fn memory_limit(&self, position: usize) -> Option<Bytes> {
        layout::memory_limit(self.word(layout::memory_limit_word(position)))
    }

    /// What now says how much of the time of the GPU at `position` may be used.
    #[inline]
    pub(super) fn compute_words(&self, position: usize) -> ComputeWords {
        ComputeWords {
            cores: self.word(layout::cores_word(position)),
            policy: self.word(layout::policy_word(position)),
            effective: self.word(layout::effective_word(position)),
        }
    }

    fn count(&self) -> usize {
        usize::try_from(self.word(layout::COUNT_WORD)).unwrap_or(0).min(layout::CAPACITY)
    }

    #[inline]
    fn word(&self, index: usize) -> u64 {
        debug_assert!(index < layout::WORDS);
        // SAFETY: every index comes from `contract`, which keeps it below the number of words that are mapped.
        let word = unsafe { &*self.words.as_ptr().wrapping_add(index) };
        u64::from_le(word.load(Acquire))
    }
}

/// Whether launches are to be metered by what an entry says: there is a limit, or somebody shares the GPU's time out.
#[inline]
pub(super) fn meters(words: &ComputeWords) -> bool {
    let is_limit = layout::share_policy(words.policy) != Ok(SharePolicy::Unlimited);
    words.cores != layout::NO_LIMIT && is_limit || words.effective != 0
}

fn uuid_words(Uuid(bytes): Uuid) -> (u64, u64) {
    let both = u128::from_le_bytes(bytes);
    #[expect(clippy::cast_possible_truncation, reason = "the two halves of the UUID")]
    (both as u64, (both >> 64) as u64)
}

fn map(path: &Path) -> io::Result<Page> {
    // Not to wait for a writer, should it be a pipe.
    let file = File::options().read(true).custom_flags(libc::O_NONBLOCK).open(path)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    let length = metadata.len();
    if length != layout::SIZE as u64 {
        return Err(io::Error::other(PageError::Length(usize::try_from(length).unwrap_or(usize::MAX))));
    }
    // SAFETY: a fresh mapping of a file whose length has been checked.
    let address = unsafe {
        libc::mmap(
            core::ptr::null_mut(),
            layout::SIZE,
            libc::PROT_READ,
            libc::MAP_SHARED,
            file.as_raw_fd(),
            0,
        )
    };
    match NonNull::new(address) {
        Some(address) if address.as_ptr() != libc::MAP_FAILED => {
            Ok(Page { words: address.cast(), metered: AtomicU64::new(u64::MAX) })
        }
        _ => Err(io::Error::last_os_error()),
    }
}
