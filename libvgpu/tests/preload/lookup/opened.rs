//! Programs that open the driver themselves.

use super::{DRIVER, OURS, driver, lines, old_driver};
use crate::compile;
use crate::run::Run;
use crate::scratch::Scratch;
use std::path::Path;

const LOOKUPS: [(&str, &str); 4] =
    [("cuInit", OURS), ("cuMemAlloc_v2", OURS), ("cuDriverGetVersion", DRIVER), ("cuNothing", "NULL")];

/// Looks `names` up in `library` and answers with what was found.
fn looked_up(program: &Path, library: &str, names: &[(&str, &str)]) -> String {
    let directory = program.parent().unwrap();
    let run = Run::preloaded(program).libraries(directory).arg(library);
    names.iter().fold(run, |run, (name, _)| run.arg(name)).output()
}

#[test]
fn what_is_looked_up_in_the_driver_is_the_hook_where_there_is_one() {
    let scratch = Scratch::new();
    driver(scratch.path());
    let program = compile::program(scratch.path(), "opened.c", &[]);
    assert_eq!(looked_up(&program, DRIVER, &LOOKUPS), lines(&LOOKUPS));
}

#[test]
fn a_driver_opened_by_its_path_is_the_driver() {
    let scratch = Scratch::new();
    let path = driver(scratch.path());
    let program = compile::program(scratch.path(), "opened.c", &[]);
    let elsewhere = scratch.directory("elsewhere").join(DRIVER);
    std::fs::rename(path, &elsewhere).unwrap();
    assert_eq!(looked_up(&program, elsewhere.to_str().unwrap(), &LOOKUPS), lines(&LOOKUPS));
}

#[test]
fn a_driver_without_a_name_has_no_hook_for_it() {
    let scratch = Scratch::new();
    old_driver(scratch.path());
    let program = compile::program(scratch.path(), "opened.c", &[]);
    let lookups = [("cuGetProcAddress", "NULL"), ("cuCtxCreate_v3", "NULL"), ("cuInit", OURS)];
    assert_eq!(looked_up(&program, DRIVER, &lookups), lines(&lookups));
}

#[test]
fn binaries_from_before_glibc_2_34_are_hooked() {
    let scratch = Scratch::new();
    driver(scratch.path());
    let program = compile::program(scratch.path(), "old_dlsym.c", &[]);
    assert_eq!(looked_up(&program, DRIVER, &LOOKUPS), lines(&LOOKUPS));
}

#[test]
fn dlvsym_answers_with_the_hook_where_the_driver_has_the_version() {
    let scratch = Scratch::new();
    let script = scratch.path().join("versions");
    std::fs::write(&script, "RIGHT { global: *; };").unwrap();
    let flag = format!("-Wl,--version-script={}", script.display());
    super::driver_with(scratch.path(), &[&flag]);
    let program = compile::program(scratch.path(), "versioned.c", &[]);
    let run = Run::preloaded(program).libraries(scratch.path()).arg(DRIVER);
    let found = lines(&[("RIGHT", OURS), ("WRONG", "NULL")]);
    assert_eq!(run.arg("cuInit").arg("RIGHT").arg("WRONG").output(), found);
}

#[test]
fn the_c_library_s_own_names_are_found_at_their_versions() {
    let scratch = Scratch::new();
    let program = compile::program(scratch.path(), "versioned.c", &[]);
    let run = |run: Run| run.arg("libc.so.6").arg("pipe2").arg("GLIBC_2.9").arg("GLIBC_99").output();
    assert_eq!(run(Run::preloaded(&program)), run(Run::natively(&program)));
}

#[test]
fn dlsym_looked_up_in_the_c_library_is_ours() {
    let scratch = Scratch::new();
    let program = compile::program(scratch.path(), "opened.c", &[]);
    let lookups = [("dlsym", OURS), ("dlvsym", OURS), ("dlopen", "libc.so.6")];
    assert_eq!(looked_up(&program, "libc.so.6", &lookups), lines(&lookups));
}
