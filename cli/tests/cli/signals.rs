//! Signals, stops and ends: `vgpu run` is for its parent and its terminal what the command would be.

use std::fs;
use std::os::unix::process::ExitStatusExt;

use crate::machine::{Machine, Running, compile, eventually, source, stdout};
use crate::terminal::Terminal;
use rustix::process::{Pid, Signal, kill_process};

/// A program on `machine` that says which signals it gets and ends at TERM with status 42.
fn reporter(machine: &Machine) -> String {
    let program = machine.at("reporter");
    compile(&[&source("reporter.c")], &program);
    program.to_string_lossy().into_owned()
}

/// What that program says of `signal`.
fn line_of(signal: Signal) -> String {
    format!("{:02}", signal.as_raw())
}

#[test]
fn an_end_by_a_signal_is_passed_on() {
    let machine = Machine::new();
    for signal in [1, 2, 3, 6, 9, 11, 15] {
        let status = machine.run(&[], &format!("kill -{signal} $$")).status().expect("it runs");
        assert_eq!(status.signal(), Some(signal));
        assert!(!status.core_dumped());
    }
    let shell = machine.command("sh").args(["-c", "$VGPU run --sim -- sh -c 'kill -9 $$'; echo $?"]).output();
    assert_eq!(stdout(&shell.expect("it runs")), "137\n");
}

#[test]
fn an_end_by_a_signal_without_a_name_is_its_status() {
    let machine = Machine::new();
    let status = machine.run(&[], "kill -40 $$").status().expect("it runs");
    assert_eq!(status.code(), Some(168));
}

#[test]
fn signals_reach_the_command() {
    let machine = Machine::new();
    let mut running = Running::start(machine.vgpu(&["run", "--sim", "--", &reporter(&machine)]));
    // Also those of which nobody thinks: any of them would end a supervisor that does not pass it on.
    let signals = [
        Signal::INT,
        Signal::HUP,
        Signal::QUIT,
        Signal::USR1,
        Signal::USR2,
        Signal::INT,
        Signal::ABORT,
        Signal::ALARM,
        Signal::VTALARM,
        Signal::PROF,
        Signal::TRAP,
        Signal::SYS,
        Signal::XCPU,
        Signal::XFSZ,
        Signal::IO,
        Signal::POWER,
        Signal::WINCH,
    ];
    for signal in signals {
        running.signal(signal);
        assert_eq!(running.line(), line_of(signal));
    }
    running.signal(Signal::TERM);
    assert_eq!(running.child.wait().expect("it ends").code(), Some(42));
    assert!(machine.slices().is_empty());
}

#[test]
fn the_terminals_interrupt_reaches_the_command_once() {
    let machine = Machine::new();
    let mut terminal = Terminal::new();
    let mut child = terminal.start(&machine, &["run", "--sim", "--", &reporter(&machine)]);
    let signal = |signal| kill_process(Pid::from_child(&child), signal).expect("it runs");
    terminal.until("ready\r\n");
    // While the supervisor stands still, the command deals with its own copy: two that wait together would be one.
    signal(Signal::STOP);
    terminal.press(b"\x03");
    // The terminal echoes the key as "^C" on the same line.
    assert_eq!(terminal.until(&format!("{}\r\n", line_of(Signal::INT))), "^C");
    signal(Signal::CONT);
    for sent in [Signal::USR1, Signal::USR2] {
        signal(sent);
        assert_eq!(terminal.until(&format!("{}\r\n", line_of(sent))), "");
    }
    signal(Signal::TERM);
    assert_eq!(child.wait().expect("it ends").code(), Some(42));
}

#[test]
fn a_shell_can_stop_and_continue_the_command() {
    let machine = Machine::new();
    let script = "
        set -m
        $VGPU run --sim -- sh -c 'kill -TSTP $$; echo continued; exit 5'
        echo \"stopped $?\"
        fg > /dev/null
        echo \"ended $?\"";
    let output = machine.command("timeout").args(["120", "bash", "-c", script]).output().expect("it runs");
    let stopped = 128 + Signal::STOP.as_raw();
    assert_eq!(stdout(&output), format!("stopped {stopped}\ncontinued\nended 5\n"));
}

#[test]
fn a_command_that_somebody_stopped_and_continued_is_still_waited_for() {
    let machine = Machine::new();
    let script = "(kill -STOP $$; kill -CONT $$) & wait; exit 9";
    assert_eq!(machine.run(&[], script).status().expect("it runs").code(), Some(9));
}

#[test]
fn what_was_ignored_stays_ignored() {
    let machine = Machine::new();
    let script = "trap '' HUP; exec $VGPU run --sim -- grep SigIgn /proc/self/status";
    let output = stdout(&machine.command("sh").args(["-c", script]).output().expect("it runs"));
    let mask =
        output.trim_end().strip_prefix("SigIgn:\t").and_then(|mask| u64::from_str_radix(mask, 16).ok());
    let ignored = |signal: Signal| mask.is_some_and(|mask| mask & 1 << (signal.as_raw() - 1) != 0);
    assert!(ignored(Signal::HUP) && !ignored(Signal::INT) && !ignored(Signal::TERM), "{output}");
}

#[test]
fn the_commands_end_is_known_where_ends_of_children_are_ignored() {
    let machine = Machine::new();
    for (script, code) in [("exit 7", Some(7)), ("kill -9 $$", None)] {
        let mut command = machine.command("env");
        command.arg("--ignore-signal=CHLD").arg(machine.program());
        let status = command.args(["run", "--sim", "--", "sh", "-c", script]).status().expect("it runs");
        assert_eq!((status.code(), status.signal()), (code, Some(9).filter(|_| code.is_none())));
    }
}

#[test]
fn a_killed_supervisor_leaves_the_command_and_the_next_one_cleans_up() {
    let machine = Machine::new();
    let script = "echo ready; read line < \"$FIFO\"; cp $VGPU_LIMITS_DIR/limits $COPY";
    let (fifo, copy) = (machine.at("fifo"), machine.at("copy"));
    assert!(machine.command("mkfifo").arg(&fifo).status().expect("it runs").success());
    let mut command = machine.run(&["--memory", "1Gi"], script);
    command.env("FIFO", &fifo).env("COPY", &copy);
    let mut running = Running::start(command);
    running.signal(Signal::KILL);
    assert_eq!(running.child.wait().expect("it ends").signal(), Some(9));
    assert_eq!(machine.slices().len(), 1);

    fs::write(&fifo, "go on\n").expect("the command reads");
    eventually(|| fs::metadata(&copy).is_ok_and(|copy| copy.len() == contract::limits_page::SIZE as u64));
    assert!(machine.run(&[], "true").status().expect("it runs").success());
    assert!(machine.slices().is_empty());
}
