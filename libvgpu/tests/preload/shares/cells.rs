//! One tenant of each kind, alone on its GPU. It gets its share, or what it can use without a limit if that is less.

use super::judge::{Judge, WINDOW, holds};
use super::tenant::{Tenant, in_slice, launcher};
use crate::alone;
use crate::machine::Machine;
use std::time::Duration;

/// Until the first kernels of a program are measured.
const START: Duration = Duration::from_millis(1_500);

/// Windows that are judged.
const WINDOWS: usize = 4;

/// Judges a tenant of this workload, which keeps so many processors busy, at a limit.
fn check(workload: &str, percent: u8, processors: usize) {
    alone::measure(processors);
    let machine = Machine::new();
    let mut judge = Judge::new(&machine);
    let free = Tenant::start(launcher(&machine, workload));
    judge.settle(&[free.pid()], START / 2);
    let ceiling = judge.ceiling(free.pid());
    drop(free);
    let Some(ceiling) = ceiling else { return };
    let tenant = Tenant::start(in_slice(&machine, launcher(&machine, workload), "region", percent));
    judge.settle(&[tenant.pid()], START);
    let windows = judge.windows(&[tenant.pid()], WINDOW, WINDOWS);
    let expected = ceiling.min(f64::from(percent));
    holds(&format!("{workload} at {percent} %, {ceiling:.0} % without a limit"), &windows, 0, expected);
}

#[test]
fn a_limit_of_everything_is_none() {
    check("medium", 100, 1);
}

#[test]
fn short_kernels_back_to_back() {
    // With more, every launch of 20 us would cost this machine more time than the simulated GPU.
    check("short", 10, 2);
}

#[test]
fn medium_kernels_back_to_back() {
    check("medium", 30, 1);
}

#[test]
fn long_kernels_that_are_waited_for() {
    check("long", 30, 1);
}

#[test]
fn kernels_of_every_length() {
    check("mixed", 50, 1);
}

#[test]
fn many_streams() {
    check("streams", 30, 1);
}

#[test]
fn graphs() {
    check("graphs", 50, 1);
}

#[test]
fn cooperative_launches() {
    check("cooperative", 50, 1);
}

#[test]
fn streams_of_threads() {
    check("threads", 30, 1);
}
