//! What contexts are charged while their size has yet to be learned.

use super::books::Books;
use super::{GIB, MIB};
use crate::compile;
use crate::machine::{CONTEXT, Machine};
use crate::namespace;
use crate::puppet::Puppet;
use crate::run::Run;
use crate::stage;

#[test]
fn contexts_of_processes_that_start_together_never_exceed_the_limit() {
    for _ in 0..5 {
        let machine = Machine::new();
        let mut tenants = [0; 8].map(|_| Puppet::start(machine.limited("2g")));
        for line in ["cuInit 0", "cuCtxCreate_v2 out 0 0"] {
            tenants.iter_mut().for_each(|tenant| tenant.tell(line));
            let answers = tenants.each_mut().map(Puppet::hear);
            assert!(answers.iter().any(|answer| answer.starts_with('0')), "{line}: {answers:?}");
        }
        let truth = machine.truth();
        assert!(truth["device.0.resident_peak"] <= 2 * GIB, "{truth:?}");
        assert_eq!(truth["device.0.refused"], 0);
        assert_eq!(Books::of(&machine), Books::both(truth["device.0.contexts"] * CONTEXT));
    }
}

/// A puppet in a PID namespace of its own.
fn elsewhere(machine: &Machine) -> Option<Run> {
    let run = namespace::of_processes(&stage::file("bin/puppet"))?;
    Some(machine.in_container(machine.on(run), "8g"))
}

#[test]
fn what_a_neighbour_allocates_meanwhile_is_not_taken_for_a_context() {
    for _ in 0..4 {
        let machine = Machine::new();
        let mut neighbour = Puppet::with_context(machine.native());
        neighbour.tell(&format!("race 20000 {}", 2 * GIB));
        // The second is charged what the first has learned.
        for _ in 0..2 {
            let Some(run) = elsewhere(&machine) else { return };
            let mut tenant = Puppet::with_context(run);
            let memory = tenant.memory();
            let charged = memory.total - memory.free;
            assert!((CONTEXT..=512 * MIB).contains(&charged), "{charged} bytes for a context");
        }
        neighbour.kill();
    }
}

#[test]
fn a_forked_child_that_the_driver_refuses_is_not_held_up_by_nvml() {
    let machine = Machine::new();
    let run = Run::preloaded(machine.program("inherits.c"));
    assert_eq!(machine.in_container(machine.on(run), "1g").output(), "3, without NVML\n");
}

#[test]
fn a_child_forked_while_its_parent_is_inside_nvml_does_not_wait_for_that() {
    let machine = Machine::new();
    let place = machine.directory("nvml");
    compile::library(&place, "libnvidia-ml.so.1", "stuck_nvml.c", &[]);
    let run = Run::preloaded(machine.program("monitors.c")).libraries(&place);
    // 0 as natively: the driver alone does not use NVML.
    assert_eq!(machine.in_container(machine.on(run), "1g").output(), "0\n");
}
