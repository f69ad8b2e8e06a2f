//! Rules that every row of the table keeps.

use cuda_sys::{DRIVER, NVML, Row, Stream};
use std::collections::BTreeSet;

/// Every type of every signature exists and can cross `extern "C"`: this module compiles.
mod signatures {
    use cuda_sys::*;

    macro_rules! driver {
        ($($class:ident $stream:ident $since:literal $query:literal $symbol:ident($($arg:ident: $ty:ty),*);)*) => {
            $(const _: Option<unsafe extern "C" fn($($arg: $ty),*) -> CUresult> = None;)*
        };
    }
    driver_api!(driver);

    macro_rules! nvml {
        ($($class:ident $since:literal $symbol:ident($($arg:ident: $ty:ty),*);)*) => {
            $(const _: Option<unsafe extern "C" fn($($arg: $ty),*) -> nvmlReturn_t> = None;)*
        };
    }
    nvml_api!(nvml);
}

fn without_stream(symbol: &str) -> Option<&str> {
    symbol.strip_suffix("_ptds").or_else(|| symbol.strip_suffix("_ptsz"))
}

/// The number in a `_v2` at the end, 1 without.
fn generation(symbol: &str) -> u32 {
    symbol.rsplit_once("_v").and_then(|(_, digits)| digits.parse().ok()).unwrap_or(1)
}

fn rows_asked_by(query: &str, stream: Stream) -> Vec<&'static Row> {
    DRIVER.iter().filter(|row| row.query == query && row.stream == stream).collect()
}

#[test]
fn no_symbol_has_two_rows() {
    let mut seen = BTreeSet::new();
    for row in DRIVER.iter().chain(NVML) {
        assert!(seen.insert(row.symbol), "{} has two rows", row.symbol);
    }
}

#[test]
fn a_query_at_a_version_has_one_answer() {
    let mut seen = BTreeSet::new();
    for row in DRIVER {
        let ptds = row.stream == Stream::Ptds;
        assert!(
            seen.insert((row.query, row.since, ptds)),
            "{} answers a question answered before",
            row.symbol
        );
    }
}

#[test]
fn a_query_is_the_symbol_without_its_suffixes() {
    for row in DRIVER {
        let stem = without_stream(row.symbol).unwrap_or(row.symbol);
        let stem = match generation(stem) {
            1 => stem.to_owned(),
            n => stem.replace(&format!("_v{n}"), ""),
        };
        assert_eq!(stem, row.query, "{}", row.symbol);
    }
}

#[test]
fn only_and_all_ptds_rows_carry_the_suffix() {
    for row in DRIVER {
        assert_eq!(without_stream(row.symbol).is_some(), row.stream == Stream::Ptds, "{}", row.symbol);
    }
}

#[test]
fn a_ptds_row_has_a_legacy_sibling_with_the_same_signature() {
    for row in DRIVER.iter().filter(|row| row.stream == Stream::Ptds) {
        let stem = without_stream(row.symbol).expect("checked by another test");
        let sibling = DRIVER.iter().find(|other| other.symbol == stem);
        let sibling = sibling.unwrap_or_else(|| panic!("{} has no legacy sibling", row.symbol));
        assert_eq!(sibling.stream, Stream::Legacy, "{}", sibling.symbol);
        assert_eq!(sibling.signature, row.signature, "{}", row.symbol);
        assert_eq!(sibling.class, row.class, "{}", row.symbol);
    }
}

#[test]
fn a_legacy_row_has_a_query_that_also_answers_ptds() {
    for row in DRIVER.iter().filter(|row| row.stream == Stream::Legacy) {
        assert!(!rows_asked_by(row.query, Stream::Ptds).is_empty(), "{} should say `any`", row.symbol);
    }
}

#[test]
fn later_versions_have_higher_suffixes() {
    for row in DRIVER {
        for other in rows_asked_by(row.query, row.stream) {
            let stem = |symbol| without_stream(symbol).unwrap_or(symbol);
            let order = generation(stem(row.symbol)).cmp(&generation(stem(other.symbol)));
            assert_eq!(row.since.cmp(&other.since), order, "{} and {}", row.symbol, other.symbol);
        }
    }
}
