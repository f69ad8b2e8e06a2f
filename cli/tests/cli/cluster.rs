//! `vgpu explain` and `vgpu nodes`, with a kubectl that a test plays.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::PathBuf;
use std::process::Output;

use crate::machine::{Machine, stderr, stdout};
use crate::refusals::refused;

/// A machine on whose PATH is `script` as kubectl, if there is one, and nothing else but `env`, which the machine itself needs.
fn machine(script: Option<&str>) -> (Machine, PathBuf) {
    let machine = Machine::new();
    let path = machine.at("path");
    fs::create_dir(&path).expect("a directory");
    symlink("/usr/bin/env", path.join("env")).expect("a link");
    if let Some(script) = script {
        let kubectl = path.join("kubectl");
        fs::write(&kubectl, format!("#!/bin/sh\n{script}\n")).expect("a file");
        fs::set_permissions(&kubectl, fs::Permissions::from_mode(0o755)).expect("a mode");
    }
    (machine, path)
}

/// The output of `vgpu` with these words, where `script` is kubectl.
fn vgpu(script: &str, words: &[&str]) -> Output {
    let (machine, path) = machine(Some(script));
    machine.vgpu(words).env("PATH", path).output().expect("it runs")
}

/// Says what it was asked, each time in a line; the context has the namespace `team`.
const ECHO: &str = r#"case "$*" in *config*) printf team;; *) echo "$@";; esac"#;

#[test]
fn the_scheduler_is_asked_through_the_api_server() {
    let said = |words: &[&str]| stdout(&vgpu(ECHO, words));
    let path = "/api/v1/namespaces/vgpu-system/services/http:vgpu-scheduler:metrics/proxy";
    assert_eq!(said(&["explain", "p"]), format!("get --raw {path}/explain/team/p\n"));
    assert_eq!(said(&["explain", "-n", "a", "p"]), format!("get --raw {path}/explain/a/p\n"));
    assert_eq!(
        said(&["nodes", "--context=other", "--json"]),
        format!("--context=other get --raw {path}/nodes?output=json\n")
    );
    assert!(said(&["nodes", "--scheduler", "x/y"]).contains("/namespaces/x/services/http:y:metrics/"));
}

#[test]
fn what_goes_wrong_is_said_with_a_way_out() {
    let refusal = refused(&vgpu("echo 'error: there is no pod a/p'", &["explain", "-n", "a", "p"]), 125);
    assert_eq!(refusal, "vgpu: there is no pod a/p\n");
    let refusal = refused(&vgpu("echo 'no such service' >&2; exit 1", &["nodes"]), 125);
    assert!(
        refusal.contains("vgpu-system/vgpu-scheduler: kubectl says: no such service")
            && refusal.contains("--scheduler names another one"),
        "{refusal}"
    );
    let (machine, path) = machine(None);
    let output = machine.vgpu(&["nodes"]).env("PATH", path).output().expect("it runs");
    assert!(stderr(&output).contains("there is no kubectl on PATH"), "{}", stderr(&output));
}

#[test]
fn what_a_cluster_says_has_no_power_over_a_terminal() {
    let said = stdout(&vgpu(r"printf 'a\033[2J\nb\n'", &["nodes"]));
    assert_eq!(said, "a\\u{1b}[2J\nb\n");
}
