//! Tenants beside each other, each in a container of its own, and processes that share one.

use super::judge::{Judge, WINDOW, holds};
use super::tenant::{Tenant, in_slice, launcher};
use crate::alone;
use crate::machine::Machine;
use std::time::Duration;

/// Until what programs learn of their kernels and of each other is in force.
const START: Duration = Duration::from_secs(2);

#[test]
fn two_tenants_share_a_gpu_as_30_to_70() {
    alone::measure(2);
    let machine = Machine::new();
    let mut judge = Judge::new(&machine);
    let shares = [("one", 30_u8), ("other", 70)];
    let tenants = shares.map(|(name, percent)| {
        Tenant::start(in_slice(&machine, launcher(&machine, "medium"), name, percent))
    });
    let pids = tenants.each_ref().map(Tenant::pid);
    judge.settle(&pids, START);
    let windows = judge.windows(&pids, WINDOW, 4);
    for (tenant, (_, percent)) in shares.into_iter().enumerate() {
        holds(&format!("{percent} % beside another tenant"), &windows, tenant, percent.into());
    }
}

#[test]
fn a_neighbour_that_comes_and_goes_takes_nothing_away() {
    alone::measure(2);
    let machine = Machine::new();
    let mut judge = Judge::new(&machine);
    let tenant = Tenant::start(in_slice(&machine, launcher(&machine, "streams"), "one", 40));
    judge.settle(&[tenant.pid()], START);
    for _ in 0..2 {
        let neighbour = Tenant::start(in_slice(&machine, launcher(&machine, "medium"), "other", 60));
        judge.settle(&[neighbour.pid()], START / 2);
        let windows = judge.windows(&[tenant.pid(), neighbour.pid()], WINDOW, 2);
        holds("40 % while a neighbour runs", &windows, 0, 40.0);
        drop(neighbour);
        std::thread::sleep(START / 2);
        let windows = judge.windows(&[tenant.pid()], WINDOW, 1);
        holds("40 % after it has gone", &windows, 0, 40.0);
    }
}

#[test]
fn processes_of_one_container_share_its_share_and_what_a_killed_one_leaves() {
    alone::measure(2);
    let machine = Machine::new();
    let mut judge = Judge::new(&machine);
    let start = || Tenant::start(in_slice(&machine, launcher(&machine, "medium"), "one", 40));
    let (stays, goes) = (start(), start());
    judge.settle(&[stays.pid(), goes.pid()], START);
    let windows = judge.windows(&[stays.pid(), goes.pid()], WINDOW, 2);
    for tenant in [0, 1] {
        holds("a half of 40 %", &windows, tenant, 20.0);
    }
    // Back to back, so that it is most likely waiting for its turn.
    goes.signal("KILL");
    std::thread::sleep(START / 2);
    let windows = judge.windows(&[stays.pid()], WINDOW, 2);
    holds("40 % when the other process was killed", &windows, 0, 40.0);
}
