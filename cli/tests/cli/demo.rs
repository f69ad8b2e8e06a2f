//! `vgpu demo` from outside.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Output;

use crate::machine::{Machine, stderr, stdout};

/// The demonstration on a machine whose CUDA program is this shell script.
fn demo(machine: &Machine, script: &str) -> Output {
    let program = machine.at("bin/fill");
    fs::write(&program, format!("#!/bin/sh\n{script}\n")).expect("a file");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("mode");
    let args = ["demo", "--sim", "--memory", "512Mi", "--python", "/nowhere/python"];
    machine.vgpu(&args).output().expect("it runs")
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
