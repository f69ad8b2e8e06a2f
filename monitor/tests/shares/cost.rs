//! What the owner's looks cost.

use std::fs;
use std::time::Duration;

use contract::limits_page::SharePolicy;
use monitor::shares::{IDLE_PERIOD, PERIOD};
use policy::compute::Nanos;

use crate::world::{Act, World};

const LOOKS: u32 = 200;

/// Processor time that this thread has used.
fn used() -> Duration {
    let text = fs::read_to_string("/proc/thread-self/schedstat").expect("a kernel that counts");
    Duration::from_nanos(text.split(' ').next().and_then(|used| used.parse().ok()).expect("a number"))
}

/// Processor time of a look after each `period`.
fn look(world: &mut World, period: Nanos, before: impl Fn(Nanos)) -> Duration {
    let mut all = Duration::ZERO;
    for _ in 0..LOOKS {
        world.now = world.now.saturating_add(period);
        before(world.now);
        let start = used();
        assert_eq!(world.owner.look(world.now), Some(period));
        all += used().saturating_sub(start);
    }
    all / LOOKS
}

/// `cargo test --release -p monitor --test shares -- --ignored --nocapture what_a_look_costs`
#[test]
#[ignore = "prints what it measures"]
fn what_a_look_costs_is_told() {
    for count in [10, 100] {
        let mut world = World::new();
        let tenants: Vec<_> = (0..count).map(|_| world.start(SharePolicy::Balance, Some(1), 1)).collect();
        // Of a GPU that no process has named, less is read.
        for tenant in &tenants {
            tenant.act(Act::Use(1), world.now);
        }
        let tell = |what: &str, period: Nanos, each: Duration| {
            let parts = each.as_nanos() * 1_000_000 / u128::from(period.0);
            println!("{count} slices of one process, {what}: {each:?} a look, {parts} ppm of a processor");
        };
        let idle = look(&mut world, IDLE_PERIOD, |_| ());
        tell("all idle", IDLE_PERIOD, idle);
        let first = &tenants[0];
        first.act(Act::Use(10), world.now);
        world.now = world.now.saturating_add(IDLE_PERIOD);
        world.owner.look(world.now);
        let beside = look(&mut world, PERIOD, |now| first.act(Act::Use(10), now));
        tell("one works", PERIOD, beside);
    }
}
