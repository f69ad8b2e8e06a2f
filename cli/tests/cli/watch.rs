//! `vgpu ps` and `vgpu top` from outside, as texts.

use crate::machine::{Machine, Running, stderr, stdout};
use rustix::process::Signal;

/// A slice in which nothing uses a GPU.
pub(crate) fn slice(machine: &Machine) -> Running {
    Running::start(machine.run(&["--memory", "1Gi"], "echo ready; exec sleep 1000"))
}

#[test]
fn a_slice_is_listed_by_its_supervisor_while_it_runs() {
    let machine = Machine::new();
    let running = slice(&machine);
    let ps = machine.vgpu(&["ps"]).output().expect("it runs");
    assert_eq!((ps.status.code(), stderr(&ps)), (Some(0), String::new()));
    let line = format!("run-{} ", running.child.id());
    let text = stdout(&ps);
    let line = text.lines().find(|text| text.starts_with(&line)).expect("listed");
    assert!(line.ends_with("(no process has used a GPU yet)"), "{line}");
    let json: serde_json::Value =
        serde_json::from_slice(&machine.vgpu(&["ps", "--json"]).output().expect("it runs").stdout)
            .expect("JSON");
    assert_eq!(json["version"], 1);
    let slices = json["slices"].as_array().expect("a list");
    let own = slices.iter().find(|slice| slice["supervisor"] == running.child.id()).expect("listed");
    assert_eq!((&own["gpus"][0]["index"], &own["gpus"][0]["limit_bytes"]), (&0.into(), &(1 << 30).into()));
    assert_eq!((&own["gpus"][1]["index"], &own["gpus"][1]["memory_bytes"]), (&1.into(), &().into()));
    running.signal(Signal::TERM);
}

#[test]
fn a_reader_that_leaves_early_is_no_failure() {
    let machine = Machine::new();
    let _running = slice(&machine);
    let script = "$VGPU ps --json | true; echo ${PIPESTATUS[0]}";
    let output = machine.command("bash").args(["-c", script]).output().expect("it runs");
    assert_eq!((stdout(&output).as_str(), stderr(&output).as_str()), ("0\n", ""));
}

#[test]
fn without_a_terminal_top_is_one_frame_of_text() {
    let machine = Machine::new();
    let running = slice(&machine);
    let top = machine.vgpu(&["top"]).output().expect("it runs");
    assert_eq!((top.status.code(), stderr(&top)), (Some(0), String::new()));
    let text = stdout(&top);
    assert!(text.starts_with("vgpu top: ") && !text.contains('\u{1b}'), "{text}");
    assert!(text.contains(&format!("\nrun-{} ", running.child.id())), "{text}");
    assert!(text.contains("\nGPU 0 NVIDIA H100 80GB HBM3 ["), "{text}");
    let wrong = machine.vgpu(&["top", "--interval", "0"]).output().expect("it runs");
    assert_eq!(wrong.status.code(), Some(2));
    assert!(stderr(&wrong).contains("0' for '--interval <SECONDS>': write a whole number from 1 to 60"));
}
