//! Only the driver's own functions of exactly the hooked names are replaced.

use super::{driver, lines};
use crate::compile;
use crate::run::Run;
use crate::scratch::Scratch;

const LOOKALIKES: &str = "liblookalikes.so";

const NAMES: [(&str, &str); 6] = [
    ("cudnnCreate", LOOKALIKES),
    ("cublasCreate_v2", LOOKALIKES),
    ("cuMemAllocator", LOOKALIKES),
    ("cuMemAlloc_v2", LOOKALIKES),
    ("nvmlInitialise", LOOKALIKES),
    ("dlsymbols", LOOKALIKES),
];

fn names_of_a_library_stay_its_own(flags: &[&str]) {
    let scratch = Scratch::new();
    driver(scratch.path());
    compile::library(scratch.path(), LOOKALIKES, "lookalikes.c", &[]);
    let program = compile::program(scratch.path(), "opened.c", flags);
    let run = Run::preloaded(program).libraries(scratch.path()).arg(LOOKALIKES);
    assert_eq!(NAMES.iter().fold(run, |run, (name, _)| run.arg(name)).output(), lines(&NAMES));
}

#[test]
fn names_that_look_like_the_drivers_stay_their_library_s() {
    names_of_a_library_stay_its_own(&[]);
}

#[test]
fn names_that_look_like_the_drivers_stay_their_library_s_beside_a_driver() {
    names_of_a_library_stay_its_own(&["-Wl,--no-as-needed", "-lcuda"]);
}
