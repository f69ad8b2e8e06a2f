//! The page as a value, to bytes and back.

use std::fmt;

use super::{
    CAPACITY, COUNT_WORD, GENERATION_WORD, MAGIC, MAGIC_WORD, NO_LIMIT, SEQUENCE_WORD, SIZE, SharePolicy,
    VERSION, VERSION_WORD, WORDS, cores, cores_word, memory_limit, memory_limit_word, policy_word, priority,
    priority_word, share_policy, uuid_word,
};
use crate::env::Priority;
use crate::{Bytes, Percent, Uuid};

/// What one GPU allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The GPU.
    pub uuid: Uuid,
    /// The most memory in bytes; `None` is no limit, zero lets nothing be allocated.
    pub memory: Option<Bytes>,
    /// The share of compute time; `None` is no limit.
    pub cores: Option<Percent>,
    /// What that share means.
    pub policy: SharePolicy,
    /// Who stands back for whom.
    pub priority: Priority,
}

impl Entry {
    /// The entry of a GPU without any limit.
    #[must_use]
    pub fn unlimited(uuid: Uuid) -> Self {
        Self {
            uuid,
            memory: None,
            cores: None,
            policy: SharePolicy::default(),
            priority: Priority::default(),
        }
    }
}

/// The limits of one container.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    generation: u64,
    entries: Vec<Entry>,
}

impl Page {
    /// The first page of a file: generation 1.
    ///
    /// # Errors
    /// [`PageError::TooManyEntries`] and [`PageError::DuplicateUuid`].
    pub fn new(entries: Vec<Entry>) -> Result<Self, PageError> {
        Self::with_generation(1, entries)
    }

    /// A page that replaces the one before `generation`.
    ///
    /// # Errors
    /// [`PageError::TooManyEntries`] and [`PageError::DuplicateUuid`].
    pub fn with_generation(generation: u64, entries: Vec<Entry>) -> Result<Self, PageError> {
        if entries.len() > CAPACITY {
            let count = u64::try_from(entries.len()).unwrap_or(u64::MAX);
            return Err(PageError::TooManyEntries(count));
        }
        let duplicate = entries
            .iter()
            .enumerate()
            .find(|(at, entry)| entries[..*at].iter().any(|other| other.uuid == entry.uuid));
        match duplicate {
            Some((_, entry)) => Err(PageError::DuplicateUuid(entry.uuid)),
            None => Ok(Self { generation, entries }),
        }
    }

    /// How often the page was written, starting with 1.
    #[must_use]
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// The entries in their places.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The place of the entry of `uuid`; `None` means a slice of zero bytes.
    #[must_use]
    pub fn position(&self, uuid: &Uuid) -> Option<usize> {
        self.entries.iter().position(|entry| entry.uuid == *uuid)
    }

    /// The content of a new file, [`SIZE`] bytes.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        self.words().iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    /// The words of a new file, in the machine's own byte order; the sequence is 0.
    ///
    /// A memory limit of 2⁶⁴ − 1 bytes is written as no limit.
    #[must_use]
    pub fn words(&self) -> [u64; WORDS] {
        let mut words = [0; WORDS];
        words[MAGIC_WORD] = MAGIC;
        words[VERSION_WORD] = VERSION;
        words[GENERATION_WORD] = self.generation;
        for (at, entry) in self.entries.iter().enumerate() {
            let [low, high] = uuid_words(&entry.uuid);
            words[uuid_word(at)] = low;
            words[uuid_word(at) + 1] = high;
            words[memory_limit_word(at)] = entry.memory.map_or(NO_LIMIT, |limit| limit.0);
            words[cores_word(at)] = entry.cores.map_or(NO_LIMIT, |share| u64::from(share.get()));
            words[policy_word(at)] = entry.policy.word();
            words[priority_word(at)] = match entry.priority {
                usual if usual == Priority::default() => 0,
                Priority(level) => u64::from(level) + 1,
            };
            words[COUNT_WORD] += 1;
        }
        words
    }

    /// Reads a whole file.
    ///
    /// # Errors
    /// [`PageError`]: the first thing that is wrong.
    pub fn decode(bytes: &[u8]) -> Result<Self, PageError> {
        let (chunks, rest) = bytes.as_chunks();
        if bytes.len() != SIZE || !rest.is_empty() {
            return Err(PageError::Length(bytes.len()));
        }
        let mut words = [0; WORDS];
        for (word, chunk) in words.iter_mut().zip(chunks) {
            *word = u64::from_le_bytes(*chunk);
        }
        Self::from_words(&words)
    }

    /// Reads the words of a file, in the machine's own byte order. Two loads of the sequence around the others, as the
    /// module says, are the caller's.
    ///
    /// # Errors
    /// [`PageError`]: the first thing that is wrong.
    pub fn from_words(words: &[u64; WORDS]) -> Result<Self, PageError> {
        let count = check_header(words)?;
        if !words[SEQUENCE_WORD].is_multiple_of(2) {
            return Err(PageError::BeingWritten);
        }
        let entries = (0..count).map(|at| entry(words, at)).collect::<Result<_, _>>()?;
        Self::with_generation(words[GENERATION_WORD], entries)
    }
}

/// Checks magic, version and count, and returns the count.
pub(super) fn check_header(words: &[u64; WORDS]) -> Result<usize, PageError> {
    if words[MAGIC_WORD] != MAGIC {
        return Err(PageError::Magic);
    }
    if words[VERSION_WORD] != VERSION {
        return Err(PageError::Version(words[VERSION_WORD]));
    }
    match usize::try_from(words[COUNT_WORD]) {
        Ok(count) if count <= CAPACITY => Ok(count),
        _ => Err(PageError::TooManyEntries(words[COUNT_WORD])),
    }
}

/// The UUID in entry `at`.
pub(super) fn uuid(words: &[u64; WORDS], at: usize) -> Uuid {
    let low = u128::from(words[uuid_word(at)]);
    let high = u128::from(words[uuid_word(at) + 1]);
    Uuid((high << 64 | low).to_le_bytes())
}

fn uuid_words(uuid: &Uuid) -> [u64; 2] {
    let (halves, _) = uuid.0.as_chunks();
    [u64::from_le_bytes(halves[0]), u64::from_le_bytes(halves[1])]
}

fn entry(words: &[u64; WORDS], at: usize) -> Result<Entry, PageError> {
    let uuid = uuid(words, at);
    let memory = memory_limit(words[memory_limit_word(at)]);
    let cores = cores(words[cores_word(at)]).map_err(|value| PageError::Cores { uuid, value })?;
    let policy = share_policy(words[policy_word(at)]).map_err(|value| PageError::Policy { uuid, value })?;
    let priority = priority(words[priority_word(at)]).map_err(|value| PageError::Priority { uuid, value })?;
    Ok(Entry { uuid, memory, cores, policy, priority })
}

/// Why a limits page cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageError {
    /// The file has this many bytes instead of [`SIZE`].
    Length(usize),
    /// The file does not start like a limits page.
    Magic,
    /// A layout that this program does not know.
    Version(u64),
    /// More than [`CAPACITY`] entries.
    TooManyEntries(u64),
    /// Two entries for one GPU.
    DuplicateUuid(Uuid),
    /// A compute share that is no percentage.
    Cores {
        /// The GPU.
        uuid: Uuid,
        /// The word.
        value: u64,
    },
    /// What the share means is nothing that this program knows.
    Policy {
        /// The GPU.
        uuid: Uuid,
        /// The word.
        value: u64,
    },
    /// A priority that is none.
    Priority {
        /// The GPU.
        uuid: Uuid,
        /// The word.
        value: u64,
    },
    /// A writer is at work, or died at it: try again.
    BeingWritten,
}

impl fmt::Display for PageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Length(bytes) => write!(f, "it has {bytes} bytes, a limits page has {SIZE}"),
            Self::Magic => f.write_str("it does not start like a limits page"),
            Self::Version(version) => {
                write!(f, "its version is {version}, this program reads version {VERSION}")
            }
            Self::TooManyEntries(count) => write!(f, "it has {count} entries, the most is {CAPACITY}"),
            Self::DuplicateUuid(uuid) => write!(f, "{uuid} has two entries"),
            Self::Cores { uuid, value } => {
                write!(f, "the compute share of {uuid} is {value}, not 1 to 100 percent")
            }
            Self::Policy { uuid, value } => {
                write!(f, "the policy of {uuid} is {value}, which has no meaning")
            }
            Self::Priority { uuid, value } => write!(f, "the priority of {uuid} is {value}, which is none"),
            Self::BeingWritten => f.write_str("it is being written"),
        }
    }
}

impl std::error::Error for PageError {}
