//! The limits page, which a supervisor writes and changes.

use super::{GIB, MIB};
use crate::machine::{CONTEXT, Machine};
use crate::puppet::{Memory, OUT_OF_MEMORY, Puppet};
use crate::run::Run;
use crate::stage;
use crate::supervisor::Supervisor;
use contract::env;
use contract::limits_page::Page;
use std::time::Duration;

#[test]
fn the_page_limits_without_a_word_in_the_environment() {
    let machine = Machine::new();
    let supervisor = Supervisor::of(&machine);
    supervisor.publish(&supervisor.memory(Some(GIB)));
    let mut tenant = Puppet::with_context(supervisor.over(machine.tenant()));
    assert_eq!(tenant.memory(), Memory { free: GIB - CONTEXT, total: GIB });
    assert_eq!(tenant.allocate(GIB - CONTEXT + 1), Err(OUT_OF_MEMORY));
}

#[test]
fn the_environment_can_tighten_the_page_and_not_loosen_it() {
    let machine = Machine::new();
    let supervisor = Supervisor::of(&machine);
    supervisor.publish(&supervisor.memory(Some(2 * GIB)));
    for (value, total) in [("1g", GIB), ("3g", 2 * GIB), ("0", 2 * GIB)] {
        let mut tenant =
            Puppet::with_context(supervisor.over(machine.tenant()).env(env::MEMORY_LIMIT, value));
        assert_eq!(tenant.memory().total, total, "{value}");
    }
}

#[test]
fn a_change_of_the_page_is_in_force_at_the_next_call() {
    let machine = Machine::new();
    let supervisor = Supervisor::of(&machine);
    supervisor.publish(&supervisor.memory(Some(GIB)));
    let mut tenant = Puppet::with_context(supervisor.over(machine.tenant()));
    assert_eq!(tenant.allocate(GIB), Err(OUT_OF_MEMORY));
    supervisor.change(&supervisor.memory(Some(2 * GIB)));
    let address = tenant.allocate(GIB).unwrap();
    supervisor.change(&supervisor.memory(Some(GIB)));
    assert_eq!(tenant.memory(), Memory { free: 0, total: GIB });
    // Over its limit now, it is refused everything new and may free.
    assert_eq!(tenant.allocate(1), Err(OUT_OF_MEMORY));
    tenant.free(address);
    assert!(tenant.allocate(GIB - CONTEXT).is_ok());
}

#[test]
fn limits_that_go_up_and_down_while_processes_race_and_die_are_kept() {
    let machine = Machine::new();
    let supervisor = Supervisor::of(&machine);
    supervisor.publish(&supervisor.memory(Some(4 * GIB)));
    let storm = Run::preloaded(stage::file("bin/storm")).env(env::REGION, machine.path("region"));
    let arguments = ["--workers", "8", "--requests", "20000", "--cap", "2147483648", "--piece", "268435456"];
    let storm = arguments.iter().fold(supervisor.over(machine.on(storm)), |run, argument| run.arg(argument));
    let output = std::thread::scope(|scope| {
        let storm = scope.spawn(|| storm.output());
        for limit in [8, 4, 2, 6, 1].into_iter().cycle() {
            if storm.is_finished() {
                break;
            }
            supervisor.change(&supervisor.memory(Some(limit * GIB)));
            std::thread::sleep(Duration::from_millis(1));
        }
        storm.join().unwrap()
    });
    assert!(output.contains(" 0 surprises") && !output.contains(" 0 granted"), "{output}");
    let truth = machine.truth();
    assert!(truth["device.0.charged_peak"] <= 8 * GIB, "{truth:?}");
    assert_eq!(truth["device.0.refused"], 0);
    supervisor.change(&supervisor.memory(Some(GIB)));
    let mut tenant = Puppet::with_context(supervisor.over(machine.tenant()));
    assert_eq!(tenant.memory(), Memory { free: GIB - CONTEXT, total: GIB });
}

#[test]
fn what_was_allocated_without_a_limit_counts_when_one_comes() {
    let machine = Machine::new();
    let supervisor = Supervisor::of(&machine);
    supervisor.publish(&supervisor.memory(None));
    let mut tenant = Puppet::with_context(supervisor.over(machine.tenant()));
    tenant.allocate(100 * MIB).unwrap();
    assert!(tenant.memory().total > 70 * GIB);
    supervisor.change(&supervisor.memory(Some(GIB)));
    assert_eq!(tenant.memory(), Memory { free: GIB - CONTEXT - 100 * MIB, total: GIB });
}

#[test]
fn a_gpu_that_is_not_on_the_page_is_an_empty_slice() {
    let machine = Machine::new();
    let supervisor = Supervisor::of(&machine);
    supervisor.publish(&Page::new(Vec::new()).unwrap());
    let mut tenant = Puppet::start(supervisor.over(machine.tenant()));
    assert_eq!(tenant.ask("cuInit 0"), "0");
    assert_eq!(tenant.ask("cuCtxCreate_v2 out 0 0"), "2");
    assert_eq!(tenant.ask("cuDevicePrimaryCtxRetain out 0"), "2");
    assert_eq!(machine.truth()["device.0.contexts"], 0);
}

#[test]
fn a_page_that_cannot_be_read_lets_nothing_start() {
    let machine = Machine::new();
    let supervisor = Supervisor::of(&machine);
    let page = supervisor.memory(Some(GIB)).encode();
    for (what, content) in [("cut short", &page[..100]), ("nothing", &[]), ("rubbish", &[7; 4096])] {
        supervisor.write(content);
        let mut tenant = Puppet::start(supervisor.over(machine.tenant()));
        assert_eq!([tenant.ask("cuInit 0"), tenant.ask("nvmlInit_v2")], ["802", "999"], "{what}");
        let (_, errors) = tenant.end();
        assert_eq!(errors.lines().count(), 1, "{what}: {errors}");
        assert!(errors.contains(supervisor.file().to_str().unwrap()), "{what}: {errors}");
    }
}

#[test]
fn a_directory_without_a_page_lets_nothing_start() {
    let machine = Machine::new();
    let supervisor = Supervisor::of(&machine);
    let mut tenant = Puppet::start(supervisor.over(machine.tenant()));
    assert_eq!(tenant.ask("cuInit 0"), "802");
}
