//! The limits page: its bytes, and changing it under a reader's eyes.

use contract::env::Priority;
use contract::limits_page::{
    self, CAPACITY, COUNT_WORD, Entry, GENERATION_WORD, NO_LIMIT, Page, PageError, SEQUENCE_WORD, SIZE,
    SharePolicy, Store, UpdateError, WORDS, cores_word, effective_word, memory_limit, memory_limit_word,
    policy_word, priority_word, update,
};
use contract::{Bytes, Percent, Uuid};
use proptest::prelude::*;

fn uuid(number: u8) -> Uuid {
    let mut bytes = [0; 16];
    bytes[1] = number;
    bytes[15] = 0xee;
    Uuid(bytes)
}

fn entry(number: u8, memory: Option<u64>, cores: Option<u8>) -> Entry {
    let cores = cores.and_then(Percent::new);
    Entry { memory: memory.map(Bytes), cores, ..Entry::unlimited(uuid(number)) }
}

fn page(entries: &[Entry]) -> Page {
    Page::new(entries.to_vec()).expect("a right page")
}

fn apply(words: &mut [u64; WORDS], stores: &[Store]) {
    for store in stores {
        words[store.word] = store.value;
    }
}

#[test]
fn the_bytes_are_as_documented() {
    let bytes = page(&[entry(7, Some(0x0102_0304_0506_0708), Some(30)), entry(8, None, None)]).encode();
    assert_eq!(bytes.len(), 4160);
    assert_eq!(bytes.len(), SIZE);
    let header: Vec<u64> = bytes[..64].as_chunks().0.iter().map(|word| u64::from_le_bytes(*word)).collect();
    assert_eq!(&bytes[..8], b"vgpulims");
    assert_eq!(header[1..], [1, 0, 1, 2, 0, 0, 0]);
    assert_eq!(bytes[64..80], uuid(7).0);
    assert_eq!(bytes[80..88], [8, 7, 6, 5, 4, 3, 2, 1]);
    assert_eq!(bytes[88..96], [30, 0, 0, 0, 0, 0, 0, 0]);
    assert_eq!(bytes[96..128], [0; 32]);
    assert_eq!(bytes[128..144], uuid(8).0);
    assert_eq!(bytes[144..160], [0xff; 16]);
    assert_eq!(bytes[160..], [0; 4000]);
    let high = Entry { policy: SharePolicy::Unlimited, priority: Priority(0), ..entry(7, None, None) };
    let bytes = page(&[high]).encode();
    assert_eq!(bytes[96..128].as_chunks().0, [2, 1, 0, 0].map(u64::to_le_bytes));
}

#[test]
fn word_offsets_are_as_documented() {
    assert_eq!(memory_limit_word(0) * 8, 80);
    assert_eq!(cores_word(0) * 8, 88);
    assert_eq!([policy_word(0), priority_word(0), effective_word(0)].map(|word| word * 8), [96, 104, 112]);
    assert_eq!(memory_limit_word(CAPACITY - 1) * 8, 64 + 64 * 63 + 16);
    assert_eq!(memory_limit(0), Some(Bytes::ZERO));
    assert_eq!(memory_limit(NO_LIMIT), None);
}

#[test]
fn an_absent_gpu_has_no_place() {
    let page = page(&[entry(1, None, None), entry(2, Some(0), None)]);
    assert_eq!(page.position(&uuid(2)), Some(1));
    assert_eq!(page.position(&uuid(3)), None);
}

#[test]
fn too_many_and_double_entries_are_refused() {
    let many: Vec<Entry> = (0..65).map(|number| entry(number, None, None)).collect();
    assert!(Page::new(many[..64].to_vec()).is_ok());
    assert_eq!(Page::new(many), Err(PageError::TooManyEntries(65)));
    let twice = vec![entry(1, None, None), entry(2, None, None), entry(1, Some(1), None)];
    assert_eq!(Page::new(twice), Err(PageError::DuplicateUuid(uuid(1))));
}

#[test]
fn damage_is_found() {
    let good = page(&[entry(1, Some(1 << 30), None), entry(2, None, Some(30))]);
    let with = |word: usize, value: u64| {
        let mut words = good.words();
        words[word] = value;
        Page::from_words(&words)
    };
    assert_eq!(with(0, 0), Err(PageError::Magic));
    assert_eq!(with(1, 2), Err(PageError::Version(2)));
    assert_eq!(with(SEQUENCE_WORD, 7), Err(PageError::BeingWritten));
    assert_eq!(with(COUNT_WORD, 65), Err(PageError::TooManyEntries(65)));
    assert_eq!(with(COUNT_WORD, u64::MAX), Err(PageError::TooManyEntries(u64::MAX)));
    for value in [0, 101, 256 + 30, u64::MAX - 1] {
        assert_eq!(with(cores_word(1), value), Err(PageError::Cores { uuid: uuid(2), value }));
    }
    assert_eq!(with(policy_word(0), 3), Err(PageError::Policy { uuid: uuid(1), value: 3 }));
    let value = u64::from(u32::MAX) + 2;
    assert_eq!(with(priority_word(1), value), Err(PageError::Priority { uuid: uuid(2), value }));
    assert!(with(priority_word(1), value - 1).is_ok());
    let [low, high] = [good.words()[8], good.words()[9]];
    let mut double = good.words();
    [double[16], double[17]] = [low, high];
    assert_eq!(Page::from_words(&double), Err(PageError::DuplicateUuid(uuid(1))));
}

#[test]
fn what_is_allowed_at_the_moment_and_reserved_words_are_ignored() {
    let good = page(&[entry(1, Some(1), None)]);
    let mut words = good.words();
    for word in [5, 6, 7, effective_word(0), 15, WORDS - 1] {
        words[word] = u64::MAX;
    }
    assert_eq!(Page::from_words(&words), Ok(good));
}

#[test]
fn a_file_of_another_length_is_refused() {
    let bytes = page(&[]).encode();
    assert!(Page::decode(&bytes).is_ok());
    assert_eq!(Page::decode(&[]), Err(PageError::Length(0)));
    assert_eq!(Page::decode(&bytes[..SIZE - 1]), Err(PageError::Length(SIZE - 1)));
    assert_eq!(Page::decode(&[bytes, vec![0]].concat()), Err(PageError::Length(SIZE + 1)));
}

#[test]
fn a_limit_of_all_ones_is_no_limit() {
    let page = page(&[entry(1, Some(u64::MAX), None)]);
    assert_eq!(Page::decode(&page.encode()).map(|page| page.entries()[0].memory), Ok(None));
}

#[test]
fn errors_say_what_is_wrong() {
    assert_eq!(PageError::Length(3).to_string(), "it has 3 bytes, a limits page has 4160");
    assert_eq!(PageError::Version(9).to_string(), "its version is 9, this program reads version 1");
    assert!(UpdateError::EntryMoved(uuid(1)).to_string().contains(&uuid(1).to_string()));
}

#[test]
fn a_change_is_framed_by_the_sequence_and_touches_only_what_differs() {
    let now = page(&[entry(1, Some(10), None), entry(2, Some(20), None)]).words();
    let next = page(&[entry(1, Some(10), None), entry(2, Some(21), None)]);
    let stores = update(&now, &next).expect("nothing moves");
    let expected = [(SEQUENCE_WORD, 1), (memory_limit_word(1), 21), (GENERATION_WORD, 2), (SEQUENCE_WORD, 2)];
    assert_eq!(stores.iter().map(|store| (store.word, store.value)).collect::<Vec<_>>(), expected);
}

#[test]
fn a_new_gpu_is_whole_before_it_is_counted() {
    let now = page(&[entry(1, None, None)]).words();
    let next = page(&[entry(1, None, None), entry(2, Some(5), None)]);
    let stores = update(&now, &next).expect("appending is allowed");
    let count = stores.iter().position(|store| store.word == COUNT_WORD).expect("the count changes");
    let last = stores.iter().rposition(|store| store.word > COUNT_WORD).expect("an entry is written");
    assert!(last < count);
}

#[test]
fn what_is_allowed_at_the_moment_goes_with_the_entry_that_it_was_allowed_for() {
    let mut now = page(&[entry(1, None, Some(30)), entry(2, None, Some(30))]).words();
    now[effective_word(0)] = 77;
    now[effective_word(1)] = 78;
    let next = page(&[entry(1, None, Some(30)), entry(2, None, Some(40)), entry(3, None, None)]);
    let mut after = now;
    apply(&mut after, &update(&now, &next).expect("nothing moves"));
    assert_eq!([0, 1, 2].map(|at| after[effective_word(at)]), [77, 0, 0]);
}

#[test]
fn entries_never_move() {
    let now = page(&[entry(1, None, None), entry(2, None, None)]).words();
    for next in [vec![], vec![entry(1, None, None)], vec![entry(2, None, None), entry(1, None, None)]] {
        assert!(matches!(update(&now, &page(&next)), Err(UpdateError::EntryMoved(_))));
    }
}

#[test]
fn a_foreign_file_is_not_changed() {
    assert_eq!(update(&[0; WORDS], &page(&[])), Err(UpdateError::Current(PageError::Magic)));
}

prop_compose! {
    fn any_entry(number: u8)(
        memory in proptest::option::of(0..u64::MAX),
        cores in proptest::option::of(1u8..=100),
        policy in proptest::sample::select(&SharePolicy::ALL[..]),
        level in prop_oneof![0..3_u32, any::<u32>()],
    ) -> Entry {
        Entry { policy, priority: Priority(level), ..entry(number, memory, cores) }
    }
}

/// Pages over the same GPUs in the same places, of one count each.
fn any_page() -> impl Strategy<Value = Page> {
    (0..=64u8)
        .prop_flat_map(|count| (0..count).map(any_entry).collect::<Vec<_>>())
        .prop_map(|entries| page(&entries))
}

proptest! {
    #[test]
    fn what_is_encoded_is_decoded(page in any_page()) {
        prop_assert_eq!(Page::decode(&page.encode()), Ok(page));
    }

    #[test]
    fn any_bytes_are_a_page_or_an_error(mut bytes in proptest::collection::vec(any::<u8>(), SIZE), good: bool) {
        if good {
            bytes[..16].copy_from_slice(&page(&[]).encode()[..16]);
        }
        if let Ok(page) = Page::decode(&bytes) {
            prop_assert!(page.entries().len() <= CAPACITY);
        }
    }

    /// Whatever a reader sees between two stores, or for ever when the writer dies there.
    #[test]
    fn no_reader_sees_half_a_change(now in any_page(), next in any_page(), died in 0usize..512) {
        let (now, next) = if now.entries().len() <= next.entries().len() { (now, next) } else { (next, now) };
        let before = now.words();
        let stores = update(&before, &next).expect("places agree");
        let mut seen = before;
        for (done, store) in stores.iter().enumerate() {
            seen[store.word] = store.value;
            for at in 0..now.entries().len() {
                let limit = memory_limit(seen[memory_limit_word(at)]);
                prop_assert!([now.entries()[at].memory, next.entries()[at].memory].contains(&limit));
            }
            let whole = done + 1 == stores.len();
            prop_assert_eq!(Page::from_words(&seen).is_err(), !whole);
        }
        let after = Page::from_words(&seen).expect("a whole page");
        prop_assert_eq!(after.entries(), next.entries());
        prop_assert_eq!(after.generation(), now.generation() + 1);

        let mut broken = before;
        apply(&mut broken, &stores[..died.min(stores.len())]);
        let repair = update(&broken, &next).expect("a new writer goes on");
        apply(&mut broken, &repair);
        let repaired = Page::from_words(&broken).expect("a whole page");
        prop_assert_eq!(repaired.entries(), next.entries());
        prop_assert!(broken[SEQUENCE_WORD] > before[SEQUENCE_WORD]);
    }
}

#[test]
fn the_module_and_the_page_agree_on_shares() {
    assert_eq!(limits_page::cores(NO_LIMIT), Ok(None));
    assert_eq!(limits_page::cores(30), Ok(Percent::new(30)));
    assert_eq!(limits_page::cores(0), Err(0));
}
