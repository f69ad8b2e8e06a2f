//! Which names there are, and what those without a body answer.

use std::collections::BTreeSet;
use std::fs;

use cuda_sys::CUresult;
use object::{Object, ObjectSymbol, SymbolKind};

use crate::profile::exported;
use crate::scene::{BRANCHES, Play, library};

fn dynamic_symbols(branch: &str, wanted: impl Fn(&SymbolKind) -> bool) -> BTreeSet<String> {
    let bytes = fs::read(library(branch)).unwrap();
    let file = object::File::parse(&*bytes).unwrap();
    let symbols = file.dynamic_symbols().filter(|symbol| symbol.is_definition() && wanted(&symbol.kind()));
    symbols.map(|symbol| symbol.name().unwrap().to_owned()).collect()
}

#[test]
fn a_branch_exports_exactly_its_own_names() {
    for branch in BRANCHES {
        assert_eq!(dynamic_symbols(branch, |_| true), exported(branch), "branch {branch}");
    }
    for profile in ["null", "timed"] {
        assert_eq!(dynamic_symbols(profile, |_| true), exported("550"), "{profile}");
    }
}

#[test]
fn variables_are_variables() {
    for branch in BRANCHES {
        let variables = dynamic_symbols(branch, |kind| *kind == SymbolKind::Data);
        assert!((18..=20).contains(&variables.len()), "branch {branch}: {}", variables.len());
        assert!(variables.contains("cudbgSessionId"));
    }
}

#[test]
fn a_name_of_a_newer_branch_is_not_there() {
    Play::everywhere().run(|scene| {
        let since_12_4 = !scene.cuda.address("cuGreenCtxCreate").is_null();
        assert_eq!(since_12_4, !["470", "535"].contains(&scene.branch));
        let since_13_0 = !scene.cuda.address("cuCtxGetDevice_v2").is_null();
        assert_eq!(since_13_0, ["580", "615"].contains(&scene.branch));
    });
}

#[test]
fn the_newest_branch_has_names_that_the_table_does_not_have() {
    let known: BTreeSet<&str> = cuda_sys::DRIVER.iter().map(|row| row.symbol).collect();
    let names = exported("615");
    assert!(names.contains("cuDeviceGetCliqueCount") && !known.contains("cuDeviceGetCliqueCount"));
}

#[test]
fn a_name_without_a_body_is_never_a_success() {
    Play::everywhere().run(|scene| {
        let list =
            fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/src/api/unsupported.txt")).unwrap();
        let listed: BTreeSet<_> = list.lines().collect();
        let has_body =
            |name: &str| !listed.contains(name) && cuda_sys::DRIVER.iter().any(|row| row.symbol == name);
        let functions = dynamic_symbols(scene.branch, |kind| *kind == SymbolKind::Text);
        let without: Vec<_> = functions.iter().filter(|name| !has_body(name)).collect();
        assert!(without.len() > 100, "{}", without.len());
        let (scene, _) = scene.with_context();
        for name in without {
            assert_eq!(scene.cuda.unknown(name)([]), CUresult::NOT_SUPPORTED, "{name}");
        }
    });
}
