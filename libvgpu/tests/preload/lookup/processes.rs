//! Lookups in children.

use super::{DRIVER, OURS, driver, lines};
use crate::compile;
use crate::run::Run;
use crate::scratch::Scratch;

fn child_and_parent_find_the_hook(how: &str, first: &[(&str, &str)]) {
    let scratch = Scratch::new();
    driver(scratch.path());
    let program = compile::program(scratch.path(), "processes.c", &[]);
    let output = Run::preloaded(&program).libraries(scratch.path()).arg(DRIVER).arg(how).output();
    let found = [("child", OURS), ("status", "0"), ("parent", OURS)];
    assert_eq!(output, lines(first) + &lines(&found), "{how}");
}

#[test]
fn a_child_forked_before_the_first_lookup_finds_the_hook() {
    child_and_parent_find_the_hook("before", &[]);
}

#[test]
fn a_child_forked_after_the_first_lookup_finds_the_hook() {
    child_and_parent_find_the_hook("after", &[("parent", OURS)]);
}

#[test]
fn a_child_made_with_vfork_finds_the_hook() {
    child_and_parent_find_the_hook("vfork", &[("parent", OURS)]);
}

#[test]
fn a_spawned_child_finds_the_hook() {
    child_and_parent_find_the_hook("spawn", &[("parent", OURS)]);
}
