//! Limits that change, tenants that stand still, and kernels that nobody has seen before.

use super::judge::{Judge, WINDOW, holds};
use super::tenant::{Tenant, in_slice, launcher};
use crate::alone;
use crate::machine::Machine;
use contract::limits_page::{Entry, Page};
use contract::{Percent, env, paths};
use shared_region::LimitsFile;
use std::time::Duration;

/// Until programs have started and their first kernels are measured.
const START: Duration = Duration::from_millis(1_500);

/// Until a changed limit must be in force.
const CHANGE: Duration = Duration::from_millis(200);

/// A page that lets the machine's GPU be used for so many percent of the time.
fn page(machine: &Machine, percent: u8) -> Page {
    Page::new(vec![Entry { cores: Percent::new(percent), ..Entry::unlimited(machine.gpu()) }]).unwrap()
}

#[test]
fn a_limit_that_changes_is_in_force_soon() {
    alone::measure(1);
    let machine = Machine::new();
    let directory = machine.directory("limits");
    let file = paths::limits_file(&directory);
    std::fs::write(&file, page(&machine, 60).encode()).unwrap();
    let mut judge = Judge::new(&machine);
    let run = launcher(&machine, "streams").env(env::LIMITS_DIR, &directory);
    let tenant = Tenant::start(run.env(env::REGION, machine.path("region")));
    std::thread::sleep(START);
    for percent in [60, 20, 50] {
        LimitsFile::open(&file).unwrap().replace(&page(&machine, percent)).unwrap();
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
    std::thread::sleep(START);
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
        std::thread::sleep(START);
        let windows = judge.windows(&[tenant.pid()], WINDOW * 2, 2);
        holds(&format!("{what}, at 50 %"), &windows, 0, 50.0);
    }
}
