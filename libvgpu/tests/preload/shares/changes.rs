//! Limits that change, tenants that stand still, and kernels that nobody has seen before.

use super::judge::{Judge, WINDOW, holds};
use super::tenant::{Tenant, in_slice, launcher};
use crate::alone;
use crate::machine::Machine;
use crate::supervisor::Supervisor;
use contract::env;
use std::time::Duration;

/// Until the first kernels of a program are measured.
const START: Duration = Duration::from_secs(3);

/// Until a changed limit must be in force.
const CHANGE: Duration = Duration::from_millis(200);

#[test]
fn a_limit_that_changes_is_in_force_soon() {
    alone::measure(1);
    let machine = Machine::new();
    let supervisor = Supervisor::of(&machine);
    supervisor.publish(&supervisor.share(Some(60)));
    let mut judge = Judge::new(&machine);
    let run = supervisor.over(launcher(&machine, "streams"));
    let tenant = Tenant::start(run.env(env::REGION, machine.path("region")));
    judge.settle(&[tenant.pid()], START);
    for percent in [60, 20, 50] {
        supervisor.change(&supervisor.share(Some(percent)));
        std::thread::sleep(CHANGE);
        let windows = judge.windows(&[tenant.pid()], WINDOW, 2);
        holds(&format!("{percent} % since 200 ms"), &windows, 0, percent.into());
    }
}

#[test]
fn a_tenant_that_was_stopped_has_saved_nothing() {
    alone::measure(1);
    let machine = Machine::new();
    let mut judge = Judge::new(&machine);
    let tenant = Tenant::start(in_slice(&machine, launcher(&machine, "medium"), "region", 30));
    judge.settle(&[tenant.pid()], START);
    tenant.signal("STOP");
    std::thread::sleep(Duration::from_secs(10));
    tenant.signal("CONT");
    let windows = judge.windows(&[tenant.pid()], WINDOW, 2);
    holds("30 % after ten seconds of standing still", &windows, 0, 30.0);
}

#[test]
fn kernels_that_nobody_has_seen_are_paid_for() {
    alone::measure(1);
    let machine = Machine::new();
    let mut judge = Judge::new(&machine);
    for (what, run) in [
        (
            "one kernel of 100 ms that nothing waits for",
            launcher(&machine, "medium").arg("--us").arg("100000"),
        ),
        (
            "kernels of 5 ms of which none was launched before",
            launcher(&machine, "unseen").arg("--us").arg("5000"),
        ),
    ] {
        let tenant = Tenant::start(in_slice(&machine, run, what, 50));
        judge.settle(&[tenant.pid()], START);
        let windows = judge.windows(&[tenant.pid()], WINDOW * 2, 2);
        holds(&format!("{what}, at 50 %"), &windows, 0, 50.0);
    }
}
