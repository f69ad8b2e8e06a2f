//! Programs linked against the driver: the dynamic loader finds our exports first.

use super::{DRIVER, OURS, driver, lines};
use crate::compile;
use crate::run::Run;
use crate::scratch::Scratch;

const CALLS: &str = "calls: 0 0 0\nanswers: 7000001000 11000\n";

fn a_linked_program_calls_the_hooks(binding: &str) {
    let scratch = Scratch::new();
    driver(scratch.path());
    let program = compile::program(scratch.path(), "linked.c", &["-lcuda", binding]);
    let found = |hooked| {
        lines(&[("cuInit", hooked), ("cuMemAlloc_v2", hooked), ("cuDriverGetVersion", DRIVER)]) + CALLS
    };
    assert_eq!(Run::natively(&program).libraries(scratch.path()).output(), found(DRIVER));
    assert_eq!(Run::preloaded(&program).libraries(scratch.path()).output(), found(OURS));
}

#[test]
fn a_program_that_binds_at_start_calls_the_hooks() {
    a_linked_program_calls_the_hooks("-Wl,-z,now");
}

#[test]
fn a_program_that_binds_lazily_calls_the_hooks() {
    a_linked_program_calls_the_hooks("-Wl,-z,lazy");
}

#[test]
fn calls_linked_against_a_library_with_the_drivers_names_arrive_there() {
    let scratch = Scratch::new();
    compile::library(scratch.path(), "libshim.so", "driver.c", &["-Wl,-Bsymbolic-functions"]);
    let program = compile::program(scratch.path(), "linked.c", &["-lshim"]);
    // The loader binds to our exports all the same; what counts is where the calls arrive.
    let output = Run::preloaded(&program).libraries(scratch.path()).output();
    assert!(output.ends_with(CALLS), "{output}");
}
