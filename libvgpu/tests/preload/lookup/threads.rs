//! First lookups on many threads at once.

use super::{DRIVER, OURS, driver, lines};
use crate::compile;
use crate::run::Run;
use crate::scratch::Scratch;

/// Each start of the program is one race for the first lookup.
const STARTS: usize = 20;

#[test]
fn threads_that_look_up_first_all_find_the_hooks() {
    let scratch = Scratch::new();
    driver(scratch.path());
    let program = compile::program(scratch.path(), "threads.c", &[]);
    let names = ["cuInit", "cuMemAlloc_v2", "cuMemFree_v2", "cuMemGetInfo_v2", "cuGetProcAddress"];
    let found = lines(&names.map(|name| (name, OURS)));
    for _ in 0..STARTS {
        assert_eq!(Run::preloaded(&program).libraries(scratch.path()).arg(DRIVER).output(), found);
    }
}
