//! The limits page: what the supervisor of a container allows it, GPU by GPU.
//!
//! The node agent or `vgpu run` writes the file, the library in each process of the container maps it read-only. It is
//! 4160 bytes: 520 little-endian words of eight bytes, so that every word can be loaded atomically.
//!
//! | byte | word | header |
//! | ---- | ---- | ------ |
//! | 0    | 0    | magic, the bytes `vgpulims` |
//! | 8    | 1    | version of this layout, 1 |
//! | 16   | 2    | sequence: odd while the page is being changed |
//! | 24   | 3    | generation: grows with every change |
//! | 32   | 4    | number of entries, at most 64 |
//! | 40   | 5–7  | reserved: written as 0, ignored |
//!
//! Entry *i* starts at byte 64 + 64·*i*:
//!
//! | byte | word | entry |
//! | ---- | ---- | ----- |
//! | 0    | 0, 1 | UUID of the GPU, 16 bytes in their order |
//! | 16   | 2    | memory limit in bytes; 2⁶⁴ − 1 = no limit |
//! | 24   | 3    | compute share in percent, 1 to 100; 2⁶⁴ − 1 = no limit |
//! | 32   | 4    | what the share means: 0 = it is the most, 1 = balance, 2 = nothing, there is no limit |
//! | 40   | 5    | priority plus one; 0 = none was given, which is a low one |
//! | 48   | 6    | what the owner of balance and priorities allows at the moment: an [`Effective`]; 0 = nothing yet |
//! | 56   | 7    | reserved: written as 0, ignored |
//!
//! **A GPU without an entry has a slice of zero bytes.** An entry, once written, keeps its place and its UUID for the life
//! of the file: a reader finds its entry once and from then on loads the one word it needs ([`memory_limit_word`]), which
//! is always whole and needs no look at the sequence. A GPU is taken away by a limit of zero, and a new one is appended.
//!
//! Word 6: bits 63 to 11 are the time in microseconds of `CLOCK_MONOTONIC`, bit 10 says that the gate is closed, bits 9 to 0 are the
//! share in thousandths. It counts for a second; then the entry's own share does. Its owner renews it some twenty times a second by
//! one store that leaves the sequence alone. From 0 to anything else, and back, it goes as every other word does, so that who looks
//! at the sequence knows whether the word has a meaning. Who changes words 2 to 5 of an entry sets it to 0.
//!
//! A reader or writer that knows only words 0 to 3, as they were at first, takes every share for the most. That errs on
//! the safe side, so the version is the same.
//!
//! Several words that must agree are read like this: load the sequence, give up if it is odd, load the words, load the
//! sequence again, start over if it differs. A writer applies the stores of an [`update`](update()) in order, each with
//! release ordering; a reader loads with acquire ordering. A reader must bound its tries and keep what it last knew: a
//! writer may have died in the middle, which the next writer repairs.

mod compute;
mod page;
mod update;

use crate::env::Priority;
use crate::{Bytes, Percent};

pub use compute::{ComputeWords, Effective, EnvShare, InForce, SharePolicy, in_force};
pub use page::{Entry, Page, PageError};
pub use update::{Store, UpdateError, update};

/// Word 0: the bytes `vgpulims`.
pub const MAGIC: u64 = u64::from_le_bytes(*b"vgpulims");
/// Word 1: the layout described here.
pub const VERSION: u64 = 1;
/// The most entries a page has.
pub const CAPACITY: usize = 64;
/// In a limit's word: no limit.
pub const NO_LIMIT: u64 = u64::MAX;

/// Words of a page.
pub const WORDS: usize = HEADER_WORDS + CAPACITY * ENTRY_WORDS;
/// Bytes of a page, and the exact length of its file.
pub const SIZE: usize = WORDS * size_of::<u64>();

/// Index of the word that holds [`MAGIC`].
pub const MAGIC_WORD: usize = 0;
/// Index of the word that holds [`VERSION`].
pub const VERSION_WORD: usize = 1;
/// Index of the sequence word.
pub const SEQUENCE_WORD: usize = 2;
/// Index of the generation word.
pub const GENERATION_WORD: usize = 3;
/// Index of the word with the number of entries.
pub const COUNT_WORD: usize = 4;

const HEADER_WORDS: usize = 8;
const ENTRY_WORDS: usize = 8;

/// Index of the first of the two words with the UUID of entry `entry`, which is below [`CAPACITY`].
#[must_use]
pub const fn uuid_word(entry: usize) -> usize {
    assert!(entry < CAPACITY);
    HEADER_WORDS + entry * ENTRY_WORDS
}

/// Index of the word with the memory limit of entry `entry`, which is below [`CAPACITY`].
#[must_use]
pub const fn memory_limit_word(entry: usize) -> usize {
    uuid_word(entry) + 2
}

/// Index of the word with the compute share of entry `entry`, which is below [`CAPACITY`].
#[must_use]
pub const fn cores_word(entry: usize) -> usize {
    uuid_word(entry) + 3
}

/// Index of the word that says what the compute share of entry `entry`, which is below [`CAPACITY`], means.
#[must_use]
pub const fn policy_word(entry: usize) -> usize {
    uuid_word(entry) + 4
}

/// Index of the word with the priority in entry `entry`, which is below [`CAPACITY`].
#[must_use]
pub const fn priority_word(entry: usize) -> usize {
    uuid_word(entry) + 5
}

/// Index of the word with what is allowed at the moment in entry `entry`, which is below [`CAPACITY`].
#[must_use]
pub const fn effective_word(entry: usize) -> usize {
    uuid_word(entry) + 6
}

/// What the word at [`memory_limit_word`] says: `None` is no limit.
#[must_use]
pub const fn memory_limit(word: u64) -> Option<Bytes> {
    match word {
        NO_LIMIT => None,
        bytes => Some(Bytes(bytes)),
    }
}

/// What the word at [`cores_word`] says: `Ok(None)` is no limit.
///
/// # Errors
/// The word itself when it is no percentage.
pub fn cores(word: u64) -> Result<Option<Percent>, u64> {
    match word {
        NO_LIMIT => Ok(None),
        _ => u8::try_from(word).ok().and_then(Percent::new).map(Some).ok_or(word),
    }
}

/// What the word at [`policy_word`] says.
///
/// # Errors
/// The word itself when it is no policy.
pub fn share_policy(word: u64) -> Result<SharePolicy, u64> {
    SharePolicy::ALL.into_iter().find(|policy| policy.word() == word).ok_or(word)
}

/// What the word at [`priority_word`] says.
///
/// # Errors
/// The word itself when it is no priority.
pub fn priority(word: u64) -> Result<Priority, u64> {
    match word.checked_sub(1) {
        None => Ok(Priority::default()),
        Some(level) => u32::try_from(level).map(Priority).map_err(|_| word),
    }
}
