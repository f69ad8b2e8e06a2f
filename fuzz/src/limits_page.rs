//! A limits page with anything in it.
//!
//! Promised: it is understood whole or refused with one line; what is written is read back; a change of a page is in the file,
//! and whatever is no page is left alone.

use std::cell::LazyCell;
use std::fs;
use std::path::Path;
use std::time::Duration;

use contract::env::Priority;
use contract::limits_page::{
    CAPACITY, ComputeWords, Effective, Entry, EnvShare, Page, SIZE, SharePolicy, WORDS, in_force, update,
};
use contract::{Bytes, Percent, Permille, Uuid};
use shared_region::{LimitsFile, SharesFile};
use tempfile::TempDir;

use crate::take::Take;

thread_local! {
    static DIR: LazyCell<TempDir> = LazyCell::new(|| tempfile::tempdir().expect("a temporary directory"));
}

/// Reads `input` as a file, then as a page that is like one; changes that.
pub fn run(input: &[u8]) {
    decode(input);
    let bytes = like_a_page(&mut Take(input));
    decode(&bytes);
    change(&bytes, &mut Take(input));
    share(&mut Take(input));
}

/// Any words are a share.
fn share(input: &mut Take<'_>) {
    let page = ComputeWords { cores: input.amount(), policy: input.amount(), effective: input.amount() };
    let now = Duration::from_nanos(input.amount());
    assert!((1..=1000).contains(&in_force(Some(page), EnvShare::default(), now).share.get()));
}

fn decode(bytes: &[u8]) {
    match Page::decode(bytes) {
        Ok(page) => {
            assert!(page.entries().len() <= CAPACITY);
            let again = Page::decode(&page.encode()).expect("what was written");
            assert_eq!((again.entries(), again.generation()), (page.entries(), page.generation()));
        }
        Err(error) => assert!(!error.to_string().contains('\n')),
    }
}

/// A right page, with some words changed.
fn like_a_page(input: &mut Take<'_>) -> Vec<u8> {
    let mut bytes = page(input, 3).encode();
    for _ in 0..input.byte() % 8 {
        let (word, value) = (input.short() % WORDS, input.amount());
        bytes[word * 8..][..8].copy_from_slice(&value.to_le_bytes());
    }
    if input.byte() == 255 {
        bytes.truncate(input.short() % SIZE);
    }
    bytes
}

/// A page of a few GPUs.
fn page(input: &mut Take<'_>, most: u8) -> Page {
    let entry = |number| Entry {
        uuid: Uuid([number; 16]),
        memory: Some(input.amount()).filter(|bytes| *bytes != u64::MAX).map(Bytes),
        cores: Percent::new(input.byte()),
        policy: SharePolicy::ALL[usize::from(input.byte()) % SharePolicy::ALL.len()],
        priority: Priority(u32::from(input.byte() % 3)),
    };
    let count = most.min(3);
    Page::new((0..count).map(entry).collect()).expect("different GPUs")
}

fn change(bytes: &[u8], input: &mut Take<'_>) {
    let next = page(input, input_count(bytes));
    if let Some(words) = words(bytes) {
        // In order, it begins and ends with the sequence, and what comes out is what was wanted.
        if let Ok(stores) = update(&words, &next) {
            let mut changed = words;
            stores.iter().for_each(|store| changed[store.word] = store.value);
            assert_eq!(Page::from_words(&changed).expect("a right page").entries(), next.entries());
        }
    }
    DIR.with(|dir| {
        let path = dir.path().join("limits");
        fs::write(&path, bytes).expect("writable");
        allow(&path, bytes, &mut Take(bytes));
        let before = fs::read(&path).expect("readable");
        let changed = LimitsFile::open(&path).and_then(|mut file| {
            let _ = file.page();
            file.replace(&next)
        });
        let after = fs::read(&path).expect("readable");
        match changed {
            Ok(()) => assert_eq!(Page::decode(&after).expect("a right page").entries(), next.entries()),
            Err(_) => assert_eq!(after, before),
        }
    });
}

/// Allows an entry something: of what is no page, nothing changes but a word that already allows something.
fn allow(path: &Path, bytes: &[u8], input: &mut Take<'_>) {
    let Ok(file) = SharesFile::open(path) else { return };
    let entry = usize::from(input.byte()) % CAPACITY;
    let share = Permille::new(1 + u16::from(input.byte())).expect("a share");
    let effective = Effective { share, is_gated: input.byte() > 127, at: Duration::from_micros(77) };
    let was_allowed = file.allowed(entry).is_some();
    let page = file.page();
    let allowed = file.allow(entry, Some(effective));
    if let Ok(page) = page {
        allowed.expect("nobody else changes it");
        assert_eq!(file.allowed(entry), Some(effective));
        assert_eq!(file.page().expect("still a page").entries(), page.entries());
    } else if allowed.is_err() {
        assert!(!was_allowed);
        assert_eq!(fs::read(path).expect("readable"), bytes);
    }
}

/// How many entries a page has that may take the place of that in `bytes`.
fn input_count(bytes: &[u8]) -> u8 {
    bytes.get(32).map_or(0, |count| *count)
}

fn words(bytes: &[u8]) -> Option<[u64; WORDS]> {
    let (chunks, _) = bytes.as_chunks();
    let words: Vec<u64> = chunks.iter().map(|chunk| u64::from_le_bytes(*chunk)).collect();
    words.try_into().ok()
}
