//! `RTLD_DEFAULT` and `dlopen(NULL)` search scopes in which our exports stand first, driver or no driver.

use super::{DRIVER, OURS, driver, lines};
use crate::compile;
use crate::run::Run;
use crate::scratch::Scratch;

const NAMES: [&str; 3] = ["cuInit", "cuDriverGetVersion", "nvmlInit_v2"];

/// Natively and preloaded.
fn found(flags: &[&str], arguments: &[&str]) -> [String; 2] {
    let scratch = Scratch::new();
    driver(scratch.path());
    let program = compile::program(scratch.path(), "scopes.c", flags);
    [Run::natively(&program), Run::preloaded(&program)].map(|run| {
        let run = run.libraries(scratch.path());
        arguments.iter().fold(run, |run, argument| run.arg(argument)).output()
    })
}

/// What the program prints when `NAMES` are found in these objects, in both scopes.
fn in_both_scopes(objects: [&str; 3]) -> String {
    let scope = |scope: &str| -> String {
        NAMES.iter().zip(objects).map(|(name, object)| format!("{scope} {name}: {object}\n")).collect()
    };
    scope("default") + &scope("program")
}

#[test]
fn without_a_driver_nothing_is_found() {
    let [native, preloaded] = found(&[], &[]);
    assert_eq!(native, in_both_scopes(["NULL"; 3]));
    assert_eq!(preloaded, native);
}

#[test]
fn a_driver_that_the_program_is_linked_against_is_found_and_hooked() {
    let [native, preloaded] = found(&["-Wl,--no-as-needed", "-lcuda"], &[]);
    assert_eq!(native, in_both_scopes([DRIVER, DRIVER, "NULL"]));
    assert_eq!(preloaded, in_both_scopes([OURS, DRIVER, "NULL"]));
}

#[test]
fn a_driver_opened_for_all_is_found_and_hooked() {
    let [native, preloaded] = found(&[], &[DRIVER, "global"]);
    assert_eq!(native, in_both_scopes([DRIVER, DRIVER, "NULL"]));
    assert_eq!(preloaded, in_both_scopes([OURS, DRIVER, "NULL"]));
}

#[test]
fn a_driver_opened_for_its_opener_alone_is_not_the_program_s() {
    let [native, preloaded] = found(&[], &[DRIVER, "local"]);
    assert_eq!(native, in_both_scopes(["NULL"; 3]));
    assert_eq!(preloaded, native);
}

#[test]
fn a_library_with_the_drivers_names_that_is_opened_for_all_keeps_them() {
    let scratch = Scratch::new();
    let shim = compile::library(scratch.path(), "libshim.so", "driver.c", &[]);
    let program = compile::program(scratch.path(), "scopes.c", &[]);
    let output = Run::preloaded(program).arg(shim).arg("global").output();
    assert_eq!(output, in_both_scopes(["libshim.so", "libshim.so", "NULL"]));
}

#[test]
fn a_plug_in_finds_the_driver_in_its_own_scope() {
    let scratch = Scratch::new();
    driver(scratch.path());
    let plugin =
        compile::library(scratch.path(), "libplugin.so", "plugin.c", &["-Wl,--no-as-needed", "-lcuda"]);
    let program = compile::program(scratch.path(), "plugs.c", &[]);
    let output = |run: Run| run.libraries(scratch.path()).arg(&plugin).output();
    assert_eq!(output(Run::natively(&program)), lines(&[("default cuInit", DRIVER)]));
    assert_eq!(output(Run::preloaded(&program)), lines(&[("default cuInit", OURS)]));
}

#[test]
fn a_driver_in_a_file_of_another_name_is_known_by_its_own() {
    let scratch = Scratch::new();
    let renamed = scratch.path().join("renamed.so");
    std::fs::rename(driver(scratch.path()), &renamed).unwrap();
    let program = compile::program(scratch.path(), "scopes.c", &[]);
    let output = |run: Run| run.arg(&renamed).arg("global").output();
    assert_eq!(output(Run::natively(&program)), in_both_scopes(["renamed.so", "renamed.so", "NULL"]));
    assert_eq!(output(Run::preloaded(&program)), in_both_scopes([OURS, "renamed.so", "NULL"]));
}

#[test]
fn a_lookup_does_not_search_the_file_system_for_libraries_that_are_not_loaded() {
    let scratch = Scratch::new();
    driver(scratch.path());
    let program = compile::program(scratch.path(), "scopes.c", &[]);
    let run = Run::preloaded(&program).libraries(scratch.path()).arg(DRIVER).arg("local");
    // The loader then tells on standard error what it looks for.
    let errors = run.env("LD_DEBUG", "libs").said().errors;
    assert!(errors.contains("find library=libcuda.so.1"), "{errors}");
    assert!(!errors.contains("find library=libnvidia-ml.so.1"), "{errors}");
}
