//! Changing a page that others have mapped.

use std::fmt;

use super::page::{check_header, uuid};
use super::{
    CAPACITY, COUNT_WORD, GENERATION_WORD, Page, PageError, SEQUENCE_WORD, WORDS, effective_word, uuid_word,
};
use crate::Uuid;

/// One step of a change: this value into this word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Store {
    /// Index of the word.
    pub word: usize,
    /// Its new value, in the machine's own byte order.
    pub value: u64,
}

/// The stores that turn the page in `current` into `next`, to be made in this order, each with release ordering.
///
/// What the owner of balance and priorities allows stays as it is in entries that stay as they are, and is taken back in
/// others.
///
/// The first makes the sequence odd and the last makes it even again; between them come only words that differ. The
/// generation becomes the current one plus one, whatever `next` says. A page that a dead writer left half changed comes
/// out whole. Only one writer may be at work at a time.
///
/// # Errors
/// [`UpdateError`]: `current` is no page of this version, or `next` moves or removes an entry.
pub fn update(current: &[u64; WORDS], next: &Page) -> Result<Vec<Store>, UpdateError> {
    let count = check_header(current).map_err(UpdateError::Current)?;
    for at in 0..count {
        let here = uuid(current, at);
        if next.entries().get(at).is_none_or(|entry| entry.uuid != here) {
            return Err(UpdateError::EntryMoved(here));
        }
    }
    let odd = current[SEQUENCE_WORD] | 1;
    let mut wanted = next.words();
    wanted[GENERATION_WORD] = current[GENERATION_WORD].wrapping_add(1);
    for at in 0..count {
        if is_same(current, &wanted, at) {
            wanted[effective_word(at)] = current[effective_word(at)];
        }
    }
    let mut stores = vec![Store { word: SEQUENCE_WORD, value: odd }];
    stores.extend(changed(current, &wanted));
    stores.push(Store { word: SEQUENCE_WORD, value: odd.wrapping_add(1) });
    Ok(stores)
}

/// Whether entry `at` says the same in both, but for what is allowed at the moment.
fn is_same(current: &[u64; WORDS], wanted: &[u64; WORDS], at: usize) -> bool {
    let lasting = uuid_word(at)..effective_word(at);
    current[lasting.clone()] == wanted[lasting]
}

/// Stores for the words that differ: entries first, then the count that makes new ones visible.
fn changed<'a>(current: &'a [u64; WORDS], wanted: &'a [u64; WORDS]) -> impl Iterator<Item = Store> + 'a {
    let entries = COUNT_WORD + 1..WORDS;
    entries
        .chain([COUNT_WORD, GENERATION_WORD])
        .filter(|&word| current[word] != wanted[word])
        .map(|word| Store { word, value: wanted[word] })
}

/// Why a page cannot be changed in place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UpdateError {
    /// What is there is not a page that this program may change.
    Current(PageError),
    /// The entry of this GPU would lose its place, where readers look for it.
    EntryMoved(Uuid),
}

impl fmt::Display for UpdateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Current(error) => write!(f, "the present limits page cannot be changed: {error}"),
            Self::EntryMoved(uuid) => write!(
                f,
                "the entry of {uuid} must keep its place among at most {CAPACITY}; to take a GPU away, set its limit to 0"
            ),
        }
    }
}

impl std::error::Error for UpdateError {}
