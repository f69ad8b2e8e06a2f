//! `dlerror` after lookups is what it is without us.

use super::{DRIVER, driver, driver_with, old_driver};
use crate::compile;
use crate::run::Run;
use crate::scratch::Scratch;

/// Natively and preloaded.
fn errors(scratch: &Scratch, names: &[&str]) -> [String; 2] {
    let program = compile::program(scratch.path(), "errors.c", &[]);
    [Run::natively(&program), Run::preloaded(&program)].map(|run| {
        let run = run.libraries(scratch.path()).arg(DRIVER);
        names.iter().fold(run, |run, name| run.arg(name)).output()
    })
}

#[test]
fn a_lookup_that_fails_is_explained_as_natively() {
    let scratch = Scratch::new();
    driver(scratch.path());
    let [native, preloaded] = errors(&scratch, &["cuNothing", "nvmlInit_v2", "dlNothing", "other"]);
    assert!(native.contains("NULL, ") && !native.contains("no error"), "{native}");
    assert_eq!(preloaded, native);
}

#[test]
fn a_hooked_name_that_the_driver_lacks_is_explained_as_natively() {
    let scratch = Scratch::new();
    old_driver(scratch.path());
    let [native, preloaded] = errors(&scratch, &["cuGetProcAddress", "cuCtxCreate_v3"]);
    assert!(native.contains("undefined symbol: cuCtxCreate_v3"), "{native}");
    assert_eq!(preloaded, native);
}

#[test]
fn a_lookup_that_succeeds_leaves_no_error_of_ours_behind() {
    let scratch = Scratch::new();
    // It lacks almost every name that we look up for ourselves.
    driver_with(scratch.path(), &["-DOLDEST"]);
    let [native, preloaded] = errors(&scratch, &["cuInit", "cuDriverGetVersion"]);
    assert_eq!(native.matches("found, no error").count(), 2, "{native}");
    assert_eq!(preloaded, native);
}
