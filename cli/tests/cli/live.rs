//! `vgpu top` on a terminal.

use std::os::unix::process::ExitStatusExt;
use std::process::Child;

use crate::machine::{Machine, eventually};
use crate::terminal::Terminal;
use crate::watch::slice;
use rustix::process::{Pid, Signal, kill_process};

/// What a terminal is sent to show the alternate screen, and to show the usual one again.
const TAKEN: &str = "\u{1b}[?1049h";
const GIVEN_BACK: &str = "\u{1b}[?1049l";
/// What comes at the end of each frame.
const SHOWN: &str = "\u{1b}[?2026l";

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
    terminal.resize(110, 30);
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

#[test]
fn after_a_stop_that_no_program_can_catch_the_terminal_is_taken_again() {
    let machine = Machine::new();
    let mut terminal = Terminal::new();
    let mut top = terminal.start(&machine, &["top"]);
    terminal.until(SHOWN);
    let pid = Pid::from_child(&top);
    kill_process(pid, Signal::STOP).expect("it runs");
    eventually(|| is_stopped(pid));
    terminal.reset();
    kill_process(pid, Signal::CONT).expect("it runs");
    terminal.until(TAKEN);
    eventually(|| !terminal.is_as_before());
    terminal.press(b"q");
    assert_eq!(top.wait().expect("it ends").code(), Some(0));
}

#[test]
fn keys_that_never_come_whole_do_not_keep_signals_from_top() {
    let machine = Machine::new();
    for keys in [b"\x1b[".as_slice(), b"\x1bO", b"\x1b[<0;1", b"\xe6", b"\xff\xfe\x80"] {
        let mut terminal = Terminal::new();
        let mut top = terminal.start(&machine, &["top"]);
        terminal.until(SHOWN);
        terminal.press(keys);
        terminal.until(SHOWN);
        terminal.until(SHOWN);
        kill_process(Pid::from_child(&top), Signal::TERM).expect("it runs");
        terminal.until(GIVEN_BACK);
        assert_eq!(top.wait().expect("it ends").signal(), Some(15), "{keys:?}");
    }
}

#[test]
fn top_ends_when_its_terminal_goes_away() {
    let machine = Machine::new();
    for options in [&["--default-signal=HUP"][..], &["--ignore-signal=HUP"]] {
        let mut terminal = Terminal::new();
        let mut command = machine.command("env");
        command
            .args(options)
            .arg("setsid")
            .arg("--ctty")
            .arg(machine.program())
            .arg("top")
            .env("TERM", "xterm");
        let mut top = terminal.spawn(command);
        terminal.until(SHOWN);
        drop(terminal);
        eventually_ends(&mut top);
    }
}

#[test]
fn a_terminal_that_takes_nothing_more_does_not_keep_signals_from_top() {
    let machine = Machine::new();
    let mut terminal = Terminal::new();
    // A frame is more than a terminal buffers.
    terminal.resize(120, 20_000);
    let mut top = terminal.start(&machine, &["top"]);
    terminal.until(TAKEN);
    kill_process(Pid::from_child(&top), Signal::TERM).expect("it runs");
    eventually_ends(&mut top);
    assert!(terminal.is_as_before());
}

#[test]
fn on_a_terminal_without_a_cursor_top_is_one_frame_of_text() {
    let machine = Machine::new();
    for kind in ["dumb", ""] {
        let mut terminal = Terminal::new();
        let mut command = terminal.command(&machine, &["top"]);
        let mut top = terminal.spawn({
            command.env("TERM", kind);
            command
        });
        terminal.until("s sort (by memory)\r\n");
        assert_eq!(top.wait().expect("it ends").code(), Some(0));
        assert!(terminal.is_as_before());
    }
}

/// Fails when the program is still there after some time.
fn eventually_ends(program: &mut Child) {
    let program = std::cell::RefCell::new(program);
    eventually(|| program.borrow_mut().try_wait().expect("it can be waited for").is_some());
}
