//! Which names there are, and what those without a body answer.

use std::collections::BTreeSet;
use std::fs;

use cuda_sys::nvmlReturn_t;
use object::{Object, ObjectSymbol};

use crate::scene::{library, play};

/// Names of a list in `profiles/`.
fn names(list: &str) -> BTreeSet<String> {
    let path = format!("{}/profiles/{list}.txt", env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(path).unwrap();
    let lines = text.lines().map(|line| line.split('#').next().unwrap_or_default().trim());
    lines.filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

/// Names of the branch that have no body.
fn not_simulated(branch: &str) -> Vec<String> {
    let listed = names("not-simulated");
    let has_body = |name: &str| {
        name == "nvmlErrorString"
            || (!listed.contains(name) && cuda_sys::NVML.iter().any(|row| row.symbol == name))
    };
    names(branch).into_iter().filter(|name| !has_body(name)).collect()
}

#[test]
fn a_branch_exports_exactly_its_own_names() {
    for branch in ["470", "535", "550", "570", "580", "615"] {
        let bytes = fs::read(library(branch)).unwrap();
        let file = object::File::parse(&*bytes).unwrap();
        let exported: BTreeSet<String> = file
            .dynamic_symbols()
            .filter(|symbol| symbol.is_definition())
            .map(|symbol| symbol.name().unwrap().to_owned())
            .collect();
        assert_eq!(exported, names(branch), "branch {branch}");
    }
}

#[test]
fn a_name_without_a_body_is_never_a_success() {
    play(1, |scene| {
        let names = not_simulated(scene.branch);
        assert!(names.len() > 100, "{}", names.len());
        for name in &names {
            assert_eq!(scene.nvml.unknown(name)([]), nvmlReturn_t::UNINITIALIZED, "{name}");
        }
        let scene = scene.initialised();
        for name in &names {
            assert_eq!(scene.nvml.unknown(name)([]), nvmlReturn_t::NOT_SUPPORTED, "{name}");
        }
    });
}
