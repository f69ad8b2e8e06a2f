//! Many processes at once, and one after another killed.

use super::{GIB, MIB};
use crate::machine::{CONTEXT, Machine};
use crate::puppet::Puppet;
use crate::run::Run;
use crate::stage;
use crate::variable::number;

const WORKERS: u64 = 64;
/// As a rule; `VGPU_TEST_REQUESTS` says another.
const REQUESTS: u64 = 100_000;
/// Of an 80 GiB card, so that only the limit can be the reason of a refusal.
const LIMIT: u64 = 40 * GIB;

fn requests() -> u64 {
    number("VGPU_TEST_REQUESTS", REQUESTS)
}

/// The figures of a storm's last line: requests, granted, refused, surprises, killed.
fn storm(machine: &Machine, cap: u64, piece: u64, everything: u64) -> [u64; 5] {
    let run = machine.on(Run::preloaded(stage::file("bin/storm")));
    let run = machine.in_container(run, &LIMIT.to_string());
    let arguments = [
        ("--workers", WORKERS),
        ("--requests", requests()),
        ("--cap", cap),
        ("--piece", piece),
        ("--everything", everything),
    ];
    let run = arguments.iter().fold(run, |run, (name, value)| run.arg(name).arg(value.to_string()));
    let output = run.output();
    println!("{output}");
    let numbers = output.split([' ', '\n']).filter_map(|word| word.parse().ok());
    numbers.collect::<Vec<_>>().try_into().expect("five figures")
}

/// After the storm the whole slice is there, to the byte.
fn nothing_is_lost(machine: &Machine) {
    let mut tenant = Puppet::with_context(machine.limited(&LIMIT.to_string()));
    assert!(tenant.allocate(LIMIT - CONTEXT).is_ok());
    assert_eq!(tenant.memory().free, 0);
}

#[test]
fn when_all_processes_keep_to_their_part_none_is_ever_refused() {
    let machine = Machine::new();
    let [requests, granted, refused, surprises, killed] =
        storm(&machine, LIMIT / WORKERS - CONTEXT, 16 * MIB, 0);
    assert!(requests >= self::requests(), "{requests} requests");
    assert!(killed >= WORKERS / 2, "{killed} killed");
    assert_eq!((refused, surprises), (0, 0), "of {granted} granted");
    assert_never_above_the_limit(&machine);
    nothing_is_lost(&machine);
}

/// A storm of processes that together want more than there is, with what `storm --everything` says: they are often refused, by
/// us and never by the driver, and nothing is lost.
fn greedy(machine: &Machine, everything: u64) {
    let [requests, granted, refused, surprises, killed] = storm(machine, LIMIT / 8, 256 * MIB, everything);
    assert!(requests >= self::requests(), "{requests} requests");
    assert!(killed >= WORKERS / 2, "{killed} killed");
    assert!(granted > 1000 && refused > 1000, "{granted} granted, {refused} refused");
    assert_eq!(surprises, 0);
    // Refusals are ours: the driver was not asked.
    assert_eq!(machine.truth()["device.0.refused"], 0);
    nothing_is_lost(machine);
}

fn assert_never_above_the_limit(machine: &Machine) {
    let peak = machine.truth()["device.0.charged_peak"];
    assert!(peak <= LIMIT, "{peak} above {LIMIT}");
}

#[test]
fn when_all_processes_want_more_the_limit_is_never_exceeded() {
    let machine = Machine::new();
    greedy(&machine, 0);
    assert_never_above_the_limit(&machine);
}

/// Contexts come and go in one thread of a process while another one looks at what it has.
#[test]
fn arrays_graphs_and_contexts_of_threads_that_end_them_keep_the_limit() {
    let machine = Machine::new();
    greedy(&machine, 1);
    assert_never_above_the_limit(&machine);
}

/// A pool whose memory is in pieces may be above the limit until what it grew by is undone.
#[test]
fn pools_beside_them_lose_nothing() {
    let machine = Machine::new();
    greedy(&machine, 2);
}
