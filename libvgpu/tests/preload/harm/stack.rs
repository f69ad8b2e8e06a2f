//! Threads with small stacks.

use crate::machine::Machine;
use crate::run::Run;

/// What the calls answer on a thread with a stack of `kib` KiB; `None` if the program did not survive them.
fn answers(run: Run, kib: usize) -> Option<String> {
    let said = run.arg(kib.to_string()).said();
    (said.status == "exit status: 0").then_some(said.output)
}

#[test]
fn first_calls_need_no_more_stack_than_the_driver_does() {
    let machine = Machine::new();
    let program = machine.program("stack.c");
    let native = |kib| answers(machine.on(Run::natively(&program)), kib);
    let (kib, expected) = (16..=1024).step_by(16).find_map(|kib| Some((kib, native(kib)?))).unwrap();
    println!("{expected}");
    let limited = machine.in_container(machine.on(Run::preloaded(&program)), "1g");
    assert_eq!(answers(limited, kib), Some(expected));
}
