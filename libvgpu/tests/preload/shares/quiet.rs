//! Without a limit nothing is measured.

use crate::machine::Machine;
use crate::run::Run;

/// What `quiet` says, run as `run` has it.
fn said(machine: &Machine, run: fn(std::path::PathBuf) -> Run, dress: impl FnOnce(Run) -> Run) -> String {
    dress(machine.on(run(machine.program("quiet.c")))).output()
}

#[test]
fn without_a_share_no_event_is_created_and_no_thread_is_started() {
    let machine = Machine::new();
    let natively = said(&machine, Run::natively, |run| run);
    assert_eq!(said(&machine, Run::preloaded, |run| run), natively);
    assert_eq!(said(&machine, Run::preloaded, |run| machine.in_container(run, "8Gi")), natively);
    for (share, policy) in [("0", "default"), ("100", "default"), ("30", "disable")] {
        let dress = |run: Run| {
            let run = machine.in_container(run, "8Gi").env("CUDA_DEVICE_SM_LIMIT", share);
            run.env("GPU_CORE_UTILIZATION_POLICY", policy)
        };
        assert_eq!(said(&machine, Run::preloaded, dress), natively, "{share}, {policy}");
    }
}

#[test]
fn with_a_share_a_thread_measures_by_events() {
    let machine = Machine::new();
    let natively = said(&machine, Run::natively, |run| run);
    let limited = said(&machine, Run::preloaded, |run| {
        machine.in_container(run, "0").env("CUDA_DEVICE_SM_LIMIT", "50")
    });
    assert_ne!(limited, natively);
    assert!(limited.contains("threads that measure 1"), "{limited}");
}

#[test]
fn large_fills_are_measured_and_small_ones_cost_nothing() {
    const LARGE: u64 = 1 << 20;
    let machine = Machine::new();
    for (bytes, is_measured) in [(LARGE - 1, false), (LARGE, true)] {
        let fill = |run: Run| run.arg(bytes.to_string());
        let natively = said(&machine, Run::natively, fill);
        let limited = said(&machine, Run::preloaded, |run| {
            machine.in_container(fill(run), "0").env("CUDA_DEVICE_SM_LIMIT", "50")
        });
        assert_eq!(limited != natively, is_measured, "{bytes}: {limited}");
    }
}

#[test]
fn a_share_of_another_gpu_has_nobody_measure_on_this_one() {
    let machine = Machine::with("550", 2);
    let natively = said(&machine, Run::natively, |run| run);
    let with_share_of = |gpu: &str| {
        said(&machine, Run::preloaded, |run| {
            machine.in_container(run, "0").env(format!("CUDA_DEVICE_SM_LIMIT_{gpu}"), "30")
        })
    };
    assert_eq!(with_share_of("1"), natively);
    assert_ne!(with_share_of("0"), natively);
}
