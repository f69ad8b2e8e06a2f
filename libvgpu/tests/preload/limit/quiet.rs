//! What an allocation and a free do not do.

use crate::machine::Machine;
use crate::run::Run;
use crate::stage;

/// Enough that a system call now and then is none for each.
const PAIRS: u64 = 100_000;

#[test]
fn an_allocation_and_a_free_make_no_system_call() {
    let machine = Machine::new();
    // A driver without a device behind it makes none either.
    let counted = |run: Run| -> u64 {
        let run = run.libraries(&stage::file("sim/null")).arg("syscalls").arg(PAIRS.to_string());
        let output = run.output();
        output.split(' ').next().and_then(|word| word.parse().ok()).unwrap_or_else(|| panic!("{output}"))
    };
    let program = stage::file("bin/traced");
    assert_eq!(counted(Run::natively(&program)), 0);
    let limited = counted(machine.in_container(Run::preloaded(&program), "4g"));
    println!("{limited} system calls in {PAIRS} pairs");
    // Ten times a second one looks for what nobody asked for by size.
    assert!(limited < PAIRS / 100, "{limited} system calls in {PAIRS} pairs");
}
