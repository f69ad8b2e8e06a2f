//! Lookups before `main`, when neither the application nor we have run a constructor.

use super::{DRIVER, OURS, driver, lines};
use crate::compile;
use crate::run::Run;
use crate::scratch::Scratch;
use crate::stage;
use std::path::Path;

fn found() -> String {
    lines(&[("early cuInit", OURS), ("early cuDriverGetVersion", DRIVER)])
        + &lines(&[("early malloc", "found"), ("early call", "0")])
}

/// `true` with `before`, us and `after` preloaded, in this order.
fn output(scratch: &Scratch, before: &[&Path], after: &[&Path]) -> String {
    let ours = stage::library();
    let all = before.iter().copied().chain([ours.as_path()]).chain(after.iter().copied());
    all.fold(Run::natively("true"), Run::behind).libraries(scratch.path()).output()
}

#[test]
fn a_constructor_behind_us_finds_the_hooks() {
    let scratch = Scratch::new();
    driver(scratch.path());
    let early = compile::library(scratch.path(), "libearly.so", "early.c", &[]);
    assert_eq!(output(&scratch, &[], &[&early]), found());
}

#[test]
fn a_constructor_in_front_of_us_finds_the_hooks() {
    let scratch = Scratch::new();
    driver(scratch.path());
    let early = compile::library(scratch.path(), "libearly.so", "early.c", &[]);
    assert_eq!(output(&scratch, &[&early], &[]), found());
}

#[test]
fn a_constructor_that_runs_before_all_others_finds_the_hooks() {
    let scratch = Scratch::new();
    driver(scratch.path());
    let early = compile::library(scratch.path(), "libearly.so", "early.c", &["-Wl,-z,initfirst"]);
    assert_eq!(output(&scratch, &[&early], &[]), found());
}

#[test]
fn a_function_chosen_while_libraries_are_relocated_may_look_names_up() {
    let scratch = Scratch::new();
    let chooses = compile::library(scratch.path(), "libchooses.so", "chooses.c", &["-Wl,-z,lazy"]);
    // Behind us it is relocated before us: our code then runs without our relocations, natively as preloaded.
    assert_eq!(output(&scratch, &[&chooses], &[]), "chosen: 0\n");
}
