//! Programs that are built with a sanitizer, whose own functions stand in front of the C library's and of ours.

use crate::compile;
use crate::machine::Machine;
use crate::run::Run;
use crate::stage;
use std::process::Command;

/// What a program built with `sanitizer` says in the library's hands; `None` where this machine cannot build or run it.
fn watched(machine: &Machine, sanitizer: &str, set_up: impl Fn(Run) -> Run) -> Option<String> {
    let driver = stage::file("sim/550/libcuda.so.1");
    let flags = [format!("-fsanitize={sanitizer}"), driver.to_str().unwrap().to_owned()];
    let flags: Vec<_> = flags.iter().map(String::as_str).collect();
    let mut trial = Command::new("cc");
    trial.args(["-x", "c", "-", "-o"]).arg(machine.path("trial")).arg(flags[0]);
    let mut trial =
        trial.stdin(std::process::Stdio::piped()).stderr(std::process::Stdio::null()).spawn().unwrap();
    std::io::Write::write_all(&mut trial.stdin.take().unwrap(), b"int main(void) { return 0; }").unwrap();
    if !trial.wait().unwrap().success() {
        println!("skipped: the C compiler has no {sanitizer} sanitizer");
        return None;
    }
    let program = compile::program(&machine.path(""), "watched.c", &flags);
    let native = set_up(machine.on(Run::natively(&program))).said();
    if native.status != "exit status: 0" {
        println!("skipped: it does not run natively: {}", native.errors);
        return None;
    }
    Some(set_up(machine.in_container(machine.on(Run::preloaded(&program)), "1g")).output())
}

/// The sanitizer knows of no lock of a library that is not compiled for it, and takes for a race what two threads do there one after
/// the other: to the simulated driver, and to this library as soon as one of its tables grows.
const KNOWN_TO_LOCK: &str = "race:libcuda.so.1\ncalled_from_lib:libvgpu.so\n";

#[test]
fn a_program_that_looks_for_races_between_threads_is_limited() {
    let machine = Machine::new();
    let suppressions = machine.path("suppressions");
    std::fs::write(&suppressions, KNOWN_TO_LOCK).unwrap();
    let options = format!("suppressions={}", suppressions.display());
    let said = watched(&machine, "thread", |run| run.env("TSAN_OPTIONS", &options));
    assert_eq!(said.as_deref().unwrap_or("too much: 2\n"), "too much: 2\n");
}

#[test]
fn a_program_that_looks_for_undefined_behaviour_is_limited() {
    let said = watched(&Machine::new(), "undefined", |run| run);
    assert_eq!(said.as_deref().unwrap_or("too much: 2\n"), "too much: 2\n");
}

#[test]
fn a_program_that_checks_addresses_is_limited_once_it_accepts_a_library_in_front_of_its_own() {
    // What the driver itself leaks is not this library's.
    let options = "verify_asan_link_order=0:detect_leaks=0";
    let said = watched(&Machine::new(), "address", |run| run.env("ASAN_OPTIONS", options));
    assert_eq!(said.as_deref().unwrap_or("too much: 2\n"), "too much: 2\n");
}
