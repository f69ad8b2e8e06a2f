//! The comparison with NVML that removes what metering gets wrong for good.

use policy::compute::Nanos;
use policy::compute::trim::PERIOD;
use sim_model::DeviceIndex;

use crate::tenant::Tenant;

/// Notes what a process of a tenant has metered, and compares if it is time.
pub(super) fn consider(tenant: &Tenant, busy: Nanos) {
    let now = Nanos(tenant.world.now().0);
    tenant.trim.meter(busy);
    let Some(turn) = tenant.trim.take_turn(now, PERIOD) else { return };
    tenant.trim.note_source(tenant.host.nvml);
    let Some(wall) = turn.wall.filter(|_| tenant.host.nvml) else { return };
    if let Some(reported) = reported(tenant, wall) {
        tenant.trim.compare(turn, reported);
    }
}

/// What NVML says that the processes of a tenant used in the last so much time; `None` if it says nothing new.
fn reported(tenant: &Tenant, wall: Nanos) -> Option<Nanos> {
    let (card, since) = (DeviceIndex(0), sim_model::Nanos(tenant.world.now().0 - wall.0));
    let pids = tenant.pids.borrow();
    let (windows, percents) = tenant.world.machine(|machine| {
        let windows = machine.samples(card, since).map_or(0, |samples| samples.len());
        let samples = machine.process_samples(card, since).unwrap_or_default();
        let own = samples.iter().filter(|sample| pids.iter().any(|pid| pid.0 == sample.pid));
        (windows, own.map(|sample| u64::from(sample.utilization.gpu)).sum::<u64>())
    });
    let windows = u64::try_from(windows).ok().filter(|&windows| windows > 0)?;
    Some(wall.in_proportion(percents, 100 * windows))
}
