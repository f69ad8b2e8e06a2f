//! `vgpu demo` from outside.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Output;

use crate::machine::{Machine, stderr, stdout};

const ARGS: [&str; 6] = ["demo", "--sim", "--memory", "512Mi", "--python", "/nowhere/python"];

/// The demonstration on a machine whose CUDA program is this shell script.
fn demo(machine: &Machine, script: &str) -> Output {
    install(machine, script);
    machine.vgpu(&ARGS).output().expect("it runs")
}

fn install(machine: &Machine, script: &str) {
    let program = machine.at("bin/fill");
    fs::write(&program, format!("#!/bin/sh\n{script}\n")).expect("a file");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("mode");
}

#[test]
fn each_program_is_shown_without_and_with_the_limit() {
    let machine = Machine::new();
    let output = demo(&machine, "echo \"asks for $1, page $(cksum < $VGPU_LIMITS_DIR/limits)\"");
    assert_eq!((output.status.code(), stderr(&output)), (Some(0), String::new()));
    let text = stdout(&output);
    let commands: Vec<&str> = text.lines().filter(|line| line.contains("-- fill")).collect();
    assert_eq!(commands, ["$ vgpu run --sim -- fill 1024", "$ vgpu run --sim --memory 512Mi -- fill 1024"]);
    let said: Vec<&str> = text.lines().filter(|line| line.starts_with("asks for 1024, page ")).collect();
    assert!(said.len() == 2 && said[0] != said[1], "the limit makes no difference:\n{text}");
    for name in ["NVML client", "numba-cuda", "taichi"] {
        assert!(text.contains(&format!("# {name}: left out, /nowhere/python: ")), "{text}");
    }
}

#[test]
fn a_program_that_fails_is_named() {
    let machine = Machine::new();
    let output = demo(&machine, "exit 3");
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).ends_with("vgpu: these programs failed: CUDA program\n"), "{}", stderr(&output));
}

#[test]
fn a_reader_that_leaves_early_ends_the_demonstration_well() {
    let machine = Machine::new();
    install(&machine, "echo output || exit 3");
    let script = format!("$VGPU {} | true; echo ${{PIPESTATUS[0]}}", ARGS.join(" "));
    let mut command = machine.command("bash");
    let output = command.args(["-c", &script]).output().expect("it runs");
    assert_eq!((stdout(&output).as_str(), stderr(&output).as_str()), ("0\n", ""));
}
