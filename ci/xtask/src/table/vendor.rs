//! What the vendor's headers say of each symbol.

use super::c::{Declarations, Function};
use super::headers::Headers;
use anyhow::{Context, Result};
use cuda_sys::Stream;
use std::collections::BTreeMap;
use std::path::Path;

/// Everything of the driver that programs can reach, interoperation with graphics included.
const DRIVER: &str = "\
#include <cuda.h>
#include <cudaTypedefs.h>
#include <cudaGL.h>
#include <cudaVDPAU.h>
";
const NVML: &str = "#include <nvml.h>\n";

/// One release's declarations.
pub(super) struct Release {
    pub(super) version: &'static str,
    pub(super) driver: Declarations,
    pub(super) nvml: Declarations,
}

impl Release {
    pub(super) fn read(headers: &Headers, scratch: &Path) -> Result<Self> {
        let read = |source, result| {
            let text = headers.preprocess(source, scratch)?;
            Declarations::parse(&text, result).with_context(|| format!("headers {}", headers.version))
        };
        let (driver, nvml) = (read(DRIVER, "CUresult")?, read(NVML, "nvmlReturn_t")?);
        Ok(Self { version: headers.version, driver, nvml })
    }
}

/// What leads `cuGetProcAddress` to a symbol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Lookup {
    pub(super) query: String,
    pub(super) since: u32,
    pub(super) stream: Stream,
}

/// The lookup of each symbol, from the `PFN_<query>_v<since>[_ptds|_ptsz]` types of all releases.
///
/// The types do not name the symbols. The rule that does, and that every answer recorded from a real driver keeps:
/// the k-th version of a query is `query_v<k>` (the first has no suffix), and the per-thread version is the newest
/// of them that is not younger, with the per-thread suffix.
pub(super) fn lookups(releases: &[Release]) -> BTreeMap<String, Lookup> {
    let mut versions: BTreeMap<&str, Versions> = BTreeMap::new();
    for function in releases.iter().flat_map(|release| &release.driver.function_types) {
        if let Some((query, since, suffix)) = parts(&function.name) {
            let known = versions.entry(query).or_default();
            let list = if suffix.is_empty() { &mut known.ordinary } else { &mut known.per_thread };
            list.insert(since, suffix);
        }
    }
    versions.into_iter().flat_map(|(query, known)| known.lookups(query)).collect()
}

/// `since` to suffix.
#[derive(Default)]
struct Versions<'a> {
    ordinary: BTreeMap<u32, &'a str>,
    per_thread: BTreeMap<u32, &'a str>,
}

impl Versions<'_> {
    fn lookups(&self, query: &str) -> Vec<(String, Lookup)> {
        let ordinary = if self.per_thread.is_empty() { Stream::Any } else { Stream::Legacy };
        let of = |stream| {
            let list = if stream == Stream::Ptds { &self.per_thread } else { &self.ordinary };
            list.iter().map(move |(&since, suffix)| {
                let generation = self.ordinary.range(..=since).count();
                let version = if generation > 1 { format!("_v{generation}") } else { String::new() };
                (format!("{query}{version}{suffix}"), Lookup { query: query.to_owned(), since, stream })
            })
        };
        of(ordinary).chain(of(Stream::Ptds)).collect()
    }
}

/// `PFN_cuMemcpy_v7000_ptds` is `("cuMemcpy", 7000, "_ptds")`.
fn parts(name: &str) -> Option<(&str, u32, &str)> {
    let (query, version) = name.strip_prefix("PFN_")?.rsplit_once("_v")?;
    let digits = version.trim_end_matches(|c: char| !c.is_ascii_digit());
    Some((query, digits.parse().ok()?, &version[digits.len()..]))
}

/// Whether two types are the same, when the vendor's aliases are followed.
pub(super) fn same_type(left: &str, right: &str, aliases: &BTreeMap<String, String>) -> bool {
    let resolve = |written: &str| {
        let (pointers, mut base) = written.rsplit_once(' ').unwrap_or(("", written));
        while let Some(older) = aliases.get(base) {
            base = older;
        }
        format!("{pointers} {base}")
    };
    resolve(left) == resolve(right)
}

/// The declaration of `symbol`.
pub(super) fn find<'a>(declarations: &'a Declarations, symbol: &str) -> Option<&'a Function> {
    declarations.functions.iter().find(|function| function.name == symbol)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn release(types: &str) -> Release {
        let driver = Declarations::parse(types, "r").unwrap();
        Release { version: "0", driver, nvml: Declarations::default() }
    }

    #[test]
    fn the_number_of_the_type_leads_to_the_symbol() {
        let old = release("typedef r (*PFN_f_v2000)(int a); typedef r (*PFN_f_v3020)(long a);");
        let new = release("typedef r (*PFN_f_v7000_ptds)(long a); typedef r (*PFN_g_v2000)(void);");
        let lookups = lookups(&[old, new]);
        let expect = |symbol: &str, query: &str, since, stream| {
            assert_eq!(lookups[symbol], Lookup { query: query.to_owned(), since, stream }, "{symbol}");
        };
        expect("f", "f", 2000, Stream::Legacy);
        expect("f_v2", "f", 3020, Stream::Legacy);
        expect("f_v2_ptds", "f", 7000, Stream::Ptds);
        expect("g", "g", 2000, Stream::Any);
        assert_eq!(lookups.len(), 4);
    }

    #[test]
    fn aliases_are_followed_below_pointers() {
        let aliases = BTreeMap::from([("new".to_owned(), "old".to_owned())]);
        assert!(same_type("*mut new", "*mut old", &aliases));
        assert!(!same_type("*mut new", "*const old", &aliases));
        assert!(!same_type("new", "other", &aliases));
    }
}
