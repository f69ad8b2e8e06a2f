//! A limits page that processes have mapped, for whoever may change it. They load single words of it at any time, so it is
//! changed through a mapping, word by word.

use core::sync::atomic::{AtomicU64, Ordering};
use std::fmt;
use std::fs::{File, TryLockError};
use std::io;
use std::os::fd::AsFd;
use std::path::Path;
use std::time::Duration;

use contract::limits_page::{
    GENERATION_WORD, Page, PageError, SEQUENCE_WORD, SIZE, UpdateError, WORDS, update,
};
use rustix::fs::OFlags;
use rustix::mm::ProtFlags;

use crate::mapping::LimitsMapping;

/// A limits page that nobody else changes meanwhile.
#[derive(Debug)]
pub struct LimitsFile {
    page: LimitsMapping,
    /// Locked, where there may be other writers.
    _file: File,
}

/// A writer is done within microseconds. One that has died holds no lock.
const TRIES: u32 = 100;
const PAUSE: Duration = Duration::from_millis(10);

impl LimitsFile {
    /// Opens the page at `path` and keeps other writers away.
    ///
    /// # Errors
    /// [`LimitsFileError`]
    pub fn open(path: &Path) -> Result<Self, LimitsFileError> {
        Self::open_within(path, TRIES)
    }

    /// As [`open`](Self::open), unless another writer is at work.
    pub(crate) fn open_now(path: &Path) -> Result<Self, LimitsFileError> {
        Self::open_within(path, 1)
    }

    fn open_within(path: &Path, tries: u32) -> Result<Self, LimitsFileError> {
        let file = open_page(path)?;
        lock(&file, tries)?;
        Self::of(file)
    }

    /// As [`open`](Self::open), for whoever is the only writer that there can be. Whoever may read the page could hold the lock.
    pub(crate) fn open_alone(path: &Path) -> Result<Self, LimitsFileError> {
        Self::of(open_page(path)?)
    }

    fn of(file: File) -> Result<Self, LimitsFileError> {
        let access = ProtFlags::READ | ProtFlags::WRITE;
        let page = LimitsMapping::new(file.as_fd(), access);
        Ok(Self { page: page.map_err(|error| LimitsFileError::System(error.into()))?, _file: file })
    }

    /// What it says now. A change that its writer did not live to finish counts as far as it has come.
    ///
    /// # Errors
    /// [`LimitsFileError::Page`]
    pub fn page(&self) -> Result<Page, LimitsFileError> {
        let mut words = self.words();
        words[SEQUENCE_WORD] &= !1;
        Page::from_words(&words).map_err(LimitsFileError::Page)
    }

    /// Makes it say `next`, in force at the next call of each process. Its generation grows by one.
    ///
    /// # Errors
    /// [`LimitsFileError::Update`]: nothing has changed.
    pub fn replace(&mut self, next: &Page) -> Result<(), LimitsFileError> {
        for store in update(&self.words(), next).map_err(LimitsFileError::Update)? {
            if let Some(word) = self.page.get(store.word) {
                word.store(store.value.to_le(), Ordering::Release);
            }
        }
        Ok(())
    }

    /// Changes single words as `change` does, which readers then know of. Its generation grows by one.
    pub(crate) fn frame(&self, change: impl FnOnce()) -> Result<(), LimitsFileError> {
        // What a dead writer has left in the middle of a change is whole, or is for `replace` to put right.
        self.page()?;
        let words = self.words();
        let put = |index: usize, value: u64| {
            if let Some(word) = self.page.get(index) {
                word.store(value.to_le(), Ordering::Release);
            }
        };
        let odd = words[SEQUENCE_WORD] | 1;
        put(SEQUENCE_WORD, odd);
        change();
        put(GENERATION_WORD, words[GENERATION_WORD].wrapping_add(1));
        put(SEQUENCE_WORD, odd.wrapping_add(1));
        Ok(())
    }

    fn words(&self) -> [u64; WORDS] {
        self.page.each_ref().map(|word: &AtomicU64| u64::from_le(word.load(Ordering::Acquire)))
    }
}

/// Opens the file at `path`, which is as long as a page.
pub(crate) fn open_page(path: &Path) -> Result<File, LimitsFileError> {
    let flags = OFlags::RDWR | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let file = rustix::fs::open(path, flags, rustix::fs::Mode::empty()).map(File::from);
    let file = file.map_err(|error| LimitsFileError::System(error.into()))?;
    let metadata = file.metadata().map_err(LimitsFileError::System)?;
    if !metadata.is_file() || metadata.len() != SIZE as u64 {
        let length = usize::try_from(metadata.len()).unwrap_or(usize::MAX);
        return Err(LimitsFileError::Page(PageError::Length(length)));
    }
    Ok(file)
}

fn lock(file: &File, tries: u32) -> Result<(), LimitsFileError> {
    for tried in 1.. {
        match file.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::WouldBlock) if tried < tries => std::thread::sleep(PAUSE),
            Err(TryLockError::WouldBlock) => break,
            Err(TryLockError::Error(error)) => return Err(LimitsFileError::System(error)),
        }
    }
    Err(LimitsFileError::Busy)
}

/// Why a limits page cannot be changed. `Display` says it without the file's name.
#[derive(Debug)]
pub enum LimitsFileError {
    /// The system refuses.
    System(io::Error),
    /// It is no limits page.
    Page(PageError),
    /// It cannot be changed in this way.
    Update(UpdateError),
    /// Another program has locked it for a second.
    Busy,
}

impl fmt::Display for LimitsFileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::System(error) => error.fmt(f),
            Self::Page(error) => error.fmt(f),
            Self::Update(error) => error.fmt(f),
            Self::Busy => f.write_str("another program keeps it locked; try again when that has ended"),
        }
    }
}

impl std::error::Error for LimitsFileError {}

#[cfg(test)]
mod tests {
    use super::*;
    use contract::limits_page::Entry;
    use contract::{Bytes, Uuid};
    use std::fs;
    use std::os::unix::fs::FileExt;

    const GPUS: [Uuid; 2] = [Uuid([1; 16]), Uuid([2; 16])];

    fn page(memory: u64) -> Page {
        let entry = |uuid| Entry { memory: Some(Bytes(memory)), ..Entry::unlimited(uuid) };
        Page::new(GPUS.map(entry).to_vec()).unwrap()
    }

    struct Scratch(std::path::PathBuf);

    impl Scratch {
        fn new(name: &str) -> Self {
            let path = std::env::temp_dir().join(format!("vgpu-limits-{}-{name}", std::process::id()));
            fs::write(&path, page(7).encode()).unwrap();
            Self(path)
        }

        fn read(&self) -> Page {
            Page::decode(&fs::read(&self.0).unwrap()).unwrap()
        }
    }

    impl Drop for Scratch {
        fn drop(&mut self) {
            let _ = fs::remove_file(&self.0);
        }
    }

    #[test]
    fn a_change_is_in_the_file_and_counted() {
        let scratch = Scratch::new("change");
        let mut file = LimitsFile::open(&scratch.0).unwrap();
        assert_eq!(file.page().unwrap(), page(7));
        file.replace(&page(9)).unwrap();
        assert_eq!(scratch.read().entries(), page(9).entries());
        assert_eq!(scratch.read().generation(), 2);
        let error = file.replace(&Page::new(Vec::new()).unwrap()).unwrap_err();
        assert!(matches!(error, LimitsFileError::Update(UpdateError::EntryMoved(_))), "{error}");
        assert_eq!(scratch.read().generation(), 2);
    }

    #[test]
    fn a_writer_that_died_in_the_middle_is_no_obstacle() {
        let scratch = Scratch::new("death");
        let raw = File::options().write(true).open(&scratch.0).unwrap();
        raw.write_all_at(&1_u64.to_le_bytes(), SEQUENCE_WORD as u64 * 8).unwrap();
        let mut file = LimitsFile::open(&scratch.0).unwrap();
        file.replace(&page(9)).unwrap();
        assert_eq!(scratch.read().entries(), page(9).entries());
    }

    #[test]
    fn readers_never_meet_a_mixture_of_two_pages() {
        let scratch = Scratch::new("readers");
        let reader = File::open(&scratch.0).unwrap();
        let mapped = LimitsMapping::new(reader.as_fd(), ProtFlags::READ).unwrap();
        let load = || mapped.each_ref().map(|word| u64::from_le(word.load(Ordering::Acquire)));
        std::thread::scope(|scope| {
            let writer = scope.spawn(|| {
                let mut file = LimitsFile::open(&scratch.0).unwrap();
                for round in 0..20_000_u64 {
                    file.replace(&page(round << 33 | round)).unwrap();
                }
            });
            let mut seen = 0;
            while !writer.is_finished() || seen == 0 {
                let before = mapped[SEQUENCE_WORD].load(Ordering::Acquire);
                let words = load();
                if mapped[SEQUENCE_WORD].load(Ordering::Acquire) != before {
                    continue;
                }
                match Page::from_words(&words) {
                    Ok(page) => {
                        seen += 1;
                        let [one, other] = page.entries() else { panic!("{page:?}") };
                        assert_eq!(one.memory, other.memory);
                    }
                    Err(error) => assert_eq!(error, PageError::BeingWritten),
                }
            }
        });
    }

    #[test]
    fn what_is_no_page_is_refused_and_left_alone() {
        let scratch = Scratch::new("rubbish");
        fs::write(&scratch.0, "rubbish").unwrap();
        let error = LimitsFile::open(&scratch.0).unwrap_err().to_string();
        assert_eq!(error, "it has 7 bytes, a limits page has 4160");
        fs::write(&scratch.0, [7; SIZE]).unwrap();
        let mut file = LimitsFile::open(&scratch.0).unwrap();
        assert!(matches!(file.page(), Err(LimitsFileError::Page(PageError::Magic))));
        assert!(file.replace(&page(9)).is_err());
        assert_eq!(fs::read(&scratch.0).unwrap(), [7; SIZE]);
        drop(file);
        let link = scratch.0.with_extension("link");
        std::os::unix::fs::symlink(&scratch.0, &link).unwrap();
        let opened = LimitsFile::open(&link);
        fs::remove_file(&link).unwrap();
        assert!(matches!(opened, Err(LimitsFileError::System(_))), "a link is followed");
    }

    #[test]
    fn two_writers_take_turns_and_one_that_never_ends_is_named() {
        let scratch = Scratch::new("busy");
        let file = LimitsFile::open(&scratch.0).unwrap();
        assert!(matches!(LimitsFile::open(&scratch.0), Err(LimitsFileError::Busy)));
        drop(file);
        LimitsFile::open(&scratch.0).unwrap();
    }
}
