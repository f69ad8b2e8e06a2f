//! The program, where it cannot start.

use std::fs;
use std::process::Command;

/// The exit status and what was said.
fn run(arguments: &[&str]) -> (Option<i32>, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_vgpu-node-agent"))
        .args(["--node-name", "node-1"])
        .args(arguments)
        .env_remove("RUST_LOG")
        .output()
        .unwrap();
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn a_gate_that_is_not_known_is_said_with_those_that_are() {
    let (status, said) = run(&["--feature-gates", "CorePlugins=true"]);
    assert_eq!(status, Some(2));
    assert!(said.contains("known: CorePlugin, GPUTopology, MemoryPlugin, Reschedule"), "{said}");
}

#[test]
fn settings_that_make_no_sense_are_said_with_their_place() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("config.yaml");
    fs::write(&file, "version: 1\nnodes: {a: {splitCount: 0}}").unwrap();
    let (status, said) = run(&["--config", file.to_str().unwrap()]);
    assert_eq!(status, Some(1));
    assert!(said.contains("config.yaml: nodes.a: splitCount is 0, not 1 to 1000"), "{said}");
}

#[test]
fn a_library_that_is_not_there_is_named() {
    let directory = tempfile::tempdir().unwrap();
    let state = directory.path().join("state");
    let (status, said) = run(&["--state-dir", state.to_str().unwrap(), "--library", "/nowhere/libvgpu.so"]);
    assert_eq!(status, Some(1));
    assert!(said.contains("cannot install /nowhere/libvgpu.so: No such file"), "{said}");
}
