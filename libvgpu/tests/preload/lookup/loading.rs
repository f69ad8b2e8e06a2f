//! Lookups while other threads open and close libraries.

use super::{DRIVER, driver};
use crate::compile;
use crate::run::Run;
use crate::scratch::Scratch;

#[test]
fn a_first_lookup_does_not_deadlock_with_another_thread_s_dlopen() {
    let scratch = Scratch::new();
    driver(scratch.path());
    compile::library(scratch.path(), "libother.so", "behind.c", &[]);
    let program = compile::program(scratch.path(), "loading.c", &[]);
    let run = Run::preloaded(&program).libraries(scratch.path()).arg(DRIVER).arg("libother.so").arg("200");
    assert_eq!(run.output(), "200 of 200, last status 0\n");
}
