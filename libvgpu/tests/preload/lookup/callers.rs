//! `RTLD_NEXT` means the object after the caller's, so the caller must stay who it is.

use super::{DRIVER, OURS, driver, lines};
use crate::compile;
use crate::run::Run;
use crate::scratch::Scratch;

/// What a program and a library between it and the driver find next, `name` by `name`.
fn next_of(scratch: &Scratch, name: &str) -> [String; 2] {
    driver(scratch.path());
    compile::library(scratch.path(), "libbehind.so", "behind.c", &[]);
    compile::library(
        scratch.path(),
        "libmiddle.so",
        "middle.c",
        &["-Wl,--no-as-needed", "-lbehind", "-lcuda"],
    );
    let flags = ["-Wl,--no-as-needed", "-lmiddle", "-Wl,-rpath-link=."];
    let program = compile::program(scratch.path(), "caller.c", &flags);
    let run = |run: Run| run.libraries(scratch.path()).arg(name).output();
    [run(Run::natively(&program)), run(Run::preloaded(&program))]
}

#[test]
fn the_next_of_a_name_that_is_not_ours_is_what_it_is_natively() {
    let [native, preloaded] = next_of(&Scratch::new(), "who");
    let (main, middle) = (("main", "libmiddle.so"), ("middle", "libbehind.so"));
    assert_eq!(native, lines(&[main, main, middle, middle]));
    assert_eq!(preloaded, native);
}

#[test]
fn an_interposer_behind_us_finds_the_driver_next_and_not_itself() {
    let [native, preloaded] = next_of(&Scratch::new(), "cuMemAlloc_v2");
    let main = ("main", "libmiddle.so");
    let found = |next| lines(&[main, main, ("middle", next), ("middle", next)]);
    assert_eq!(native, found(DRIVER));
    // The program's next is native too; the driver's own symbol is the hook.
    assert_eq!(preloaded, found(OURS));
}

#[test]
fn the_next_dlsym_is_ours_for_the_program_only() {
    let [_, preloaded] = next_of(&Scratch::new(), "dlsym");
    let (main, middle) = (("main", OURS), ("middle", "libc.so.6"));
    assert_eq!(preloaded, lines(&[main, main, middle, middle]));
}
