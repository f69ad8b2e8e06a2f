//! Which loaded file is the driver, and for how long.

use super::{DRIVER, OURS, driver, lines};
use crate::compile;
use crate::run::Run;
use crate::scratch::Scratch;

#[test]
fn a_second_copy_of_the_driver_has_the_functions_of_the_first() {
    let scratch = Scratch::new();
    let first = driver(scratch.path());
    let second = scratch.directory("second").join(DRIVER);
    std::fs::copy(&first, &second).unwrap();
    let program = compile::program(scratch.path(), "copies.c", &[]);
    let output = Run::preloaded(program).arg(first).arg(second).output();
    assert_eq!(output, format!("first: {OURS}, called: 0\nsecond: {OURS}, called: 0\n"));
}

#[test]
fn a_driver_that_is_closed_stays_for_those_who_keep_its_functions() {
    let scratch = Scratch::new();
    driver(scratch.path());
    let program = compile::program(scratch.path(), "closes.c", &[]);
    let output = Run::preloaded(program).libraries(scratch.path()).arg(DRIVER).output();
    assert_eq!(output, format!("closed: 0\n{}", lines(&[("reopened", OURS)])));
}
