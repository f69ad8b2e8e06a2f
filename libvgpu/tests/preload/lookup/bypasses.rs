//! Callers that do not pass by our exports meet the limit all the same.

use super::OURS;
use crate::compile;
use crate::machine::Machine;
use crate::run::Run;
use crate::stage;
use std::path::{Path, PathBuf};

/// What a program prints whose request of 2 GiB was refused by the hook.
fn refused() -> String {
    format!("{OURS}: 2\n")
}

/// A machine, and a directory for programs of the test.
fn machine() -> (Machine, PathBuf) {
    let machine = Machine::new();
    let directory = machine.path("programs");
    std::fs::create_dir(&directory).unwrap();
    (machine, directory)
}

/// What `run` prints inside of 1 GiB of `machine`.
fn inside(machine: &Machine, run: Run) -> String {
    machine.in_container(machine.on(run), "1g").output()
}

/// What a plug-in prints that sees its own libraries first.
fn plugged_in(source: &str, flags: &[&str], binding: &str) -> String {
    let (machine, directory) = machine();
    let driver = stage::file("sim/550/libcuda.so.1");
    let flags: Vec<_> = flags.iter().copied().chain([driver.to_str().unwrap()]).collect();
    let plugin = compile::library(&directory, "libplugin.so", source, &flags);
    let program = compile::program(&directory, "deep.c", &[]);
    inside(&machine, Run::preloaded(program).arg(plugin).arg(binding))
}

#[test]
fn a_plug_in_opened_with_deepbind_that_opens_the_driver() {
    assert_eq!(plugged_in("deep_opens.c", &["-Wl,--as-needed"], "now"), refused());
}

#[test]
fn a_plug_in_opened_with_deepbind_that_is_linked_against_the_driver() {
    for flag in ["-Wl,-z,norelro", "-Wl,-z,relro,-z,now", "-Wl,-z,lazy"] {
        for binding in ["now", "lazy"] {
            let output = plugged_in("deep_linked.c", &[flag], binding);
            assert_eq!(output, refused() + "called: 2\n", "{flag} {binding}");
        }
    }
}

/// What a program prints with an interposer in front of us.
fn behind(flags: &[&str]) -> String {
    let (machine, directory) = machine();
    let before = compile::library(&directory, "libbefore.so", "before.c", flags);
    let program = compile::program(&directory, "takes.c", &[]);
    let run = Run::natively(program).behind(&before).behind(&stage::library());
    inside(&machine, run.arg("libcuda.so.1"))
}

#[test]
fn an_interposer_in_front_whose_dlsym_goes_to_the_c_library() {
    assert_eq!(behind(&[]), refused());
}

#[test]
fn an_interposer_in_front_that_stands_in_front_of_the_driver_too() {
    assert_eq!(behind(&["-DCALLS"]), "libbefore.so: 2\n");
}

/// A copy of the simulated driver in a directory of its own.
fn copy(branch: &str, directory: &Path) -> PathBuf {
    let path = directory.join(branch);
    std::fs::create_dir_all(&path).unwrap();
    let path = path.join("libcuda.so.1");
    std::fs::copy(stage::file(&format!("sim/{branch}/libcuda.so.1")), &path).unwrap();
    path
}

#[test]
fn a_second_copy_of_the_driver_leads_to_the_first() {
    let (machine, directory) = machine();
    let program = compile::program(&directory, "takes.c", &[]);
    let output = inside(&machine, Run::preloaded(program).arg("libcuda.so.1").arg(copy("550", &directory)));
    assert_eq!(output, refused() + &refused());
    assert_eq!(machine.truth()["device.0.contexts"], 0);
}

#[test]
fn another_version_of_the_driver_is_told_of() {
    let (machine, directory) = machine();
    let program = compile::program(&directory, "takes.c", &[]);
    let run = Run::preloaded(program).arg("libcuda.so.1").arg(copy("535", &directory));
    let run = machine.in_container(machine.on(run), "1g").env("LIBCUDA_LOG_LEVEL", "3");
    let said = run.said();
    assert!(said.output.starts_with(&refused()), "{said:?}");
    assert!(said.errors.contains("535/libcuda.so.1 is another version"), "{said:?}");
}

/// Not a promise but a known gap: should this ever fail, the documents say less than is true.
#[test]
fn a_driver_in_a_namespace_of_its_own_is_out_of_reach() {
    let (machine, directory) = machine();
    let program = compile::program(&directory, "apart.c", &[]);
    assert_eq!(inside(&machine, Run::preloaded(program)), "libcuda.so.1: 0\n");
}
