//! `vgpu ps` and `vgpu top` from outside.

use std::os::unix::process::ExitStatusExt;

use crate::machine::{Machine, Running, eventually, stderr, stdout};
use crate::terminal::Terminal;
use rustix::process::{Pid, Signal, kill_process};

/// What a terminal is sent to show the alternate screen, and to show the usual one again.
const TAKEN: &str = "\u{1b}[?1049h";
const GIVEN_BACK: &str = "\u{1b}[?1049l";

/// A slice in which nothing uses a GPU.
fn slice(machine: &Machine) -> Running {
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

#[test]
fn a_key_ends_top_and_the_terminal_is_as_before() {
    let machine = Machine::new();
    let running = slice(&machine);
    let mut terminal = Terminal::new();
    let mut top = terminal.start(&machine, &["top"]);
    terminal.until(TAKEN);
    terminal.until(&format!("run-{}", running.child.id()));
    assert!(!terminal.is_as_before());
    terminal.press(b"s");
    terminal.until("s sort (by peak)");
    // Twice: after the first such frame the size has been noticed, after the second the signal has. A key that comes
    // together with the signal is read with the next key only.
    terminal.resize(110, 30);
    terminal.until("\u{1b}[30;1H");
    terminal.until("\u{1b}[30;1H");
    terminal.press(b"q");
    terminal.until(GIVEN_BACK);
    assert_eq!(top.wait().expect("it ends").code(), Some(0));
    assert!(terminal.is_as_before());
}

#[test]
fn a_signal_ends_top_and_the_terminal_is_as_before() {
    let machine = Machine::new();
    for signal in [Signal::TERM, Signal::HUP, Signal::INT, Signal::QUIT] {
        let mut terminal = Terminal::new();
        let mut top = terminal.start(&machine, &["top"]);
        terminal.until("vgpu top: ");
        kill_process(Pid::from_child(&top), signal).expect("it runs");
        terminal.until(GIVEN_BACK);
        assert_eq!(top.wait().expect("it ends").signal(), Some(signal.as_raw()));
        assert!(terminal.is_as_before());
    }
}

#[test]
fn the_stop_key_gives_the_terminal_back_until_top_is_continued() {
    let machine = Machine::new();
    let mut terminal = Terminal::new();
    let mut top = terminal.start(&machine, &["top"]);
    terminal.until("vgpu top: ");
    terminal.press(b"\x1a");
    terminal.until(GIVEN_BACK);
    let pid = Pid::from_child(&top);
    eventually(|| is_stopped(pid));
    assert!(terminal.is_as_before());
    kill_process(pid, Signal::CONT).expect("it runs");
    terminal.until(TAKEN);
    terminal.press(b"q");
    assert_eq!(top.wait().expect("it ends").code(), Some(0));
    assert!(terminal.is_as_before());
}

fn is_stopped(pid: Pid) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero())).expect("it is there");
    stat.rsplit(") ").next().is_some_and(|rest| rest.starts_with('T'))
}
