//! A limits page, for the owner of balance and priorities: it looks at the page and renews what it allows many times a second.

use core::sync::atomic::{AtomicU64, Ordering};
use std::fs::Metadata;
use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use contract::limits_page::{
    CAPACITY, Effective, GENERATION_WORD, Page, PageError, SEQUENCE_WORD, WORDS, effective_word,
};
use rustix::mm::ProtFlags;

use crate::limits_file::{LimitsFile, LimitsFileError, open_page};
use crate::mapping::LimitsMapping;

/// Who changes a limits page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Writers {
    /// Whoever may write it, one at a time: each locks it.
    #[default]
    Several,
    /// This program alone. The lock is left alone: a container that may only read its page can hold it, and would have its way.
    Alone,
}

/// A limits page that others may change meanwhile.
#[derive(Debug)]
pub struct SharesFile {
    path: PathBuf,
    writers: Writers,
    page: LimitsMapping,
    /// Device and inode number.
    identity: (u64, u64),
}

impl SharesFile {
    /// Maps the page at `path`.
    ///
    /// # Errors
    /// [`LimitsFileError`]
    pub fn open(path: &Path) -> Result<Self, LimitsFileError> {
        Self::open_among(path, Writers::Several)
    }

    /// As [`open`](Self::open), where these write the page.
    ///
    /// # Errors
    /// [`LimitsFileError`]
    pub fn open_among(path: &Path, writers: Writers) -> Result<Self, LimitsFileError> {
        let file = open_page(path)?;
        let page = LimitsMapping::new(file.as_fd(), ProtFlags::READ | ProtFlags::WRITE);
        let page = page.map_err(|error| LimitsFileError::System(error.into()))?;
        let identity = identity(&file.metadata().map_err(LimitsFileError::System)?);
        Ok(Self { path: path.to_owned(), writers, page, identity })
    }

    /// Whether the page is still the one at its path.
    #[must_use]
    pub fn is_current(&self) -> bool {
        std::fs::symlink_metadata(&self.path).is_ok_and(|there| identity(&there) == self.identity)
    }

    /// How often the page was changed. While that stays the same, so does what the page says, but for what is allowed.
    #[must_use]
    pub fn generation(&self) -> u64 {
        self.load(GENERATION_WORD)
    }

    /// What it says.
    ///
    /// # Errors
    /// [`PageError`]; of those, [`PageError::BeingWritten`] passes by itself.
    pub fn page(&self) -> Result<Page, PageError> {
        let before = self.load(SEQUENCE_WORD);
        let words: [u64; WORDS] = core::array::from_fn(|index| self.load(index));
        if self.load(SEQUENCE_WORD) != before {
            return Err(PageError::BeingWritten);
        }
        Page::from_words(&words)
    }

    /// Ends a change of the page in which its writer has died. New processes of the slice could not start until somebody does.
    ///
    /// # Errors
    /// [`LimitsFileError`] when the writer is alive, or has left what is no page.
    pub fn repair(&self) -> Result<(), LimitsFileError> {
        if self.load(SEQUENCE_WORD).is_multiple_of(2) {
            return Ok(());
        }
        self.to_change()?.frame(|| ())
    }

    fn to_change(&self) -> Result<LimitsFile, LimitsFileError> {
        match self.writers {
            Writers::Several => LimitsFile::open_now(&self.path),
            Writers::Alone => LimitsFile::open_alone(&self.path),
        }
    }

    /// What entry `entry` is allowed at the moment, or was; `None`: nothing.
    #[must_use]
    pub fn allowed(&self, entry: usize) -> Option<Effective> {
        (entry < CAPACITY).then(|| self.load(effective_word(entry))).and_then(Effective::from_word)
    }

    /// Allows entry `entry` so much from now on, or nothing any more.
    ///
    /// # Errors
    /// [`LimitsFileError`] when somebody else is changing the page and this is more than a renewal: to be tried again.
    pub fn allow(&self, entry: usize, effective: Option<Effective>) -> Result<(), LimitsFileError> {
        let place = (entry < CAPACITY).then(|| self.page.get(effective_word(entry))).flatten();
        let Some(place) = place else { return Ok(()) };
        let (now, next) = (place.load(Ordering::Acquire), effective.map_or(0, Effective::word).to_le());
        match (now, next) {
            (0, 0) => Ok(()),
            // Whether anything is allowed at all is a change of the page.
            (0, _) | (_, 0) => self.to_change()?.frame(|| place.store(next, Ordering::Release)),
            // An exchange, because somebody may be taking it back as he changes the entry.
            _ => match place.compare_exchange(now, next, Ordering::Release, Ordering::Relaxed) {
                Ok(_) => Ok(()),
                Err(_) => Err(LimitsFileError::Busy),
            },
        }
    }

    fn load(&self, index: usize) -> u64 {
        self.page.get(index).map_or(0, |word: &AtomicU64| u64::from_le(word.load(Ordering::Acquire)))
    }
}

fn identity(file: &Metadata) -> (u64, u64) {
    (file.dev(), file.ino())
}

#[cfg(test)]
mod tests {
    use super::*;
    use contract::limits_page::Entry;
    use contract::{Percent, Permille, Uuid};
    use std::fs;
    use std::time::Duration;

    struct Scratch(PathBuf);

    impl Scratch {
        /// The page of a GPU of which 30 percent may be used.
        fn new(name: &str) -> Self {
            let path = std::env::temp_dir().join(format!("vgpu-shares-{}-{name}", std::process::id()));
            fs::write(&path, page(30).encode()).unwrap();
            Self(path)
        }
    }

    impl Drop for Scratch {
        fn drop(&mut self) {
            let _ = fs::remove_file(&self.0);
        }
    }

    fn page(cores: u8) -> Page {
        let entry = Entry { cores: Percent::new(cores), ..Entry::unlimited(Uuid([1; 16])) };
        Page::new(vec![entry]).unwrap()
    }

    fn effective(share: u16) -> Option<Effective> {
        let share = Permille::new(share).unwrap();
        Some(Effective { share, is_gated: false, at: Duration::from_secs(5) })
    }

    #[test]
    fn who_looks_at_the_sequence_learns_that_something_is_allowed_and_is_not_disturbed_by_its_renewal() {
        let scratch = Scratch::new("renewal");
        let file = SharesFile::open(&scratch.0).unwrap();
        assert_eq!((file.allowed(0), file.allowed(CAPACITY)), (None, None));
        file.allow(0, None).unwrap();
        assert_eq!((file.load(SEQUENCE_WORD), file.generation()), (0, 1));
        file.allow(0, effective(400)).unwrap();
        assert_eq!((file.load(SEQUENCE_WORD), file.generation()), (2, 2));
        file.allow(0, effective(500)).unwrap();
        assert_eq!((file.load(SEQUENCE_WORD), file.allowed(0)), (2, effective(500)));
        file.allow(0, None).unwrap();
        assert_eq!((file.load(SEQUENCE_WORD), file.generation(), file.allowed(0)), (4, 3, None));
        assert_eq!(file.page().unwrap().entries(), page(30).entries());
    }

    #[test]
    fn a_page_that_was_replaced_is_no_longer_the_one_at_its_path() {
        let scratch = Scratch::new("replaced");
        let file = SharesFile::open(&scratch.0).unwrap();
        assert!(file.is_current());
        let new = scratch.0.with_extension("new");
        fs::write(&new, page(30).encode()).unwrap();
        fs::rename(&new, &scratch.0).unwrap();
        assert!(!file.is_current());
        fs::remove_file(&scratch.0).unwrap();
        assert!(!file.is_current());
    }

    #[test]
    fn a_changed_entry_begins_with_its_own_share() {
        let scratch = Scratch::new("change");
        let file = SharesFile::open(&scratch.0).unwrap();
        file.allow(0, effective(400)).unwrap();
        LimitsFile::open(&scratch.0).unwrap().replace(&page(30)).unwrap();
        assert_eq!(file.allowed(0), effective(400));
        let before = file.generation();
        LimitsFile::open(&scratch.0).unwrap().replace(&page(20)).unwrap();
        assert_eq!((file.allowed(0), file.generation()), (None, before + 1));
        assert_eq!(file.page().unwrap().entries(), page(20).entries());
    }

    #[test]
    fn while_another_changes_the_page_only_renewals_are_possible() {
        let scratch = Scratch::new("busy");
        let file = SharesFile::open(&scratch.0).unwrap();
        let other = LimitsFile::open(&scratch.0).unwrap();
        assert!(matches!(file.allow(0, effective(400)), Err(LimitsFileError::Busy)));
        assert_eq!(file.allowed(0), None);
        drop(other);
        file.allow(0, effective(400)).unwrap();
        let _other = LimitsFile::open(&scratch.0).unwrap();
        file.allow(0, effective(500)).unwrap();
        assert_eq!(file.allowed(0), effective(500));
    }

    #[test]
    fn what_a_dead_writer_has_begun_is_ended_and_what_a_living_one_has_is_not() {
        use std::os::unix::fs::FileExt;
        let scratch = Scratch::new("dead");
        let file = SharesFile::open(&scratch.0).unwrap();
        file.repair().unwrap();
        assert_eq!(file.generation(), 1);
        let raw = fs::File::options().write(true).open(&scratch.0).unwrap();
        raw.write_all_at(&7_u64.to_le_bytes(), SEQUENCE_WORD as u64 * 8).unwrap();
        let living = LimitsFile::open(&scratch.0).unwrap();
        assert!(matches!(file.repair(), Err(LimitsFileError::Busy)));
        assert_eq!(file.page(), Err(PageError::BeingWritten));
        drop(living);
        file.repair().unwrap();
        assert_eq!((file.load(SEQUENCE_WORD), file.generation()), (8, 2));
        assert_eq!(file.page().unwrap().entries(), page(30).entries());
    }

    #[test]
    fn rubbish_is_refused_and_left_alone() {
        let scratch = Scratch::new("rubbish");
        fs::write(&scratch.0, [7; contract::limits_page::SIZE]).unwrap();
        let file = SharesFile::open(&scratch.0).unwrap();
        assert_eq!(file.page(), Err(PageError::Magic));
        assert!(matches!(file.allow(0, None), Err(LimitsFileError::Page(PageError::Magic))));
        assert_eq!(fs::read(&scratch.0).unwrap(), [7; contract::limits_page::SIZE]);
        fs::write(&scratch.0, "short").unwrap();
        assert!(matches!(SharesFile::open(&scratch.0), Err(LimitsFileError::Page(PageError::Length(5)))));
    }

    #[test]
    fn who_may_only_read_a_page_and_locks_it_does_not_keep_its_only_writer_away() {
        let scratch = Scratch::new("reader");
        let reader = fs::File::open(&scratch.0).unwrap();
        reader.lock().unwrap();
        let file = SharesFile::open(&scratch.0).unwrap();
        assert!(matches!(file.allow(0, effective(1)), Err(LimitsFileError::Busy)));
        let file = SharesFile::open_among(&scratch.0, Writers::Alone).unwrap();
        file.allow(0, effective(1)).unwrap();
        assert_eq!(file.allowed(0), effective(1));
    }
}
