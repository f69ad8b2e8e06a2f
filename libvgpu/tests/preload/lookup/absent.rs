//! Lookups in programs without a driver.

use crate::compile;
use crate::run::Run;
use crate::scratch::Scratch;

#[test]
fn our_own_functions_are_not_found_where_no_driver_is_loaded() {
    let scratch = Scratch::new();
    let program = compile::program(scratch.path(), "absent.c", &[]);
    let names = ["cuInit", "nvmlInit_v2", "cuMemAlloc_v2", "cuNothing", "puts", "cuGetProcAddress"];
    let [native, preloaded] = [Run::natively(&program), Run::preloaded(&program)]
        .map(|run| names.iter().fold(run, |run, name| run.arg(name)).output());
    let error = format!("cuInit: NULL, {}: undefined symbol: cuInit\n", program.display());
    assert!(native.starts_with(&error), "{native}");
    assert_eq!(preloaded, native);
}
