//! The comparison with NVML that removes what metering gets wrong for good.

use std::cell::RefCell;

use policy::compute::Nanos;
use policy::compute::trim::{PERIOD, Window};
use sim_model::{DeviceIndex, ProcessSample, Sample};
use tracker::launches::Trimmer;

use crate::tenant::Tenant;

/// Notes what a process of a tenant has metered, and compares if it is time.
pub(super) fn consider(tenant: &Tenant, trimmer: &RefCell<Trimmer>, busy: Nanos) {
    let now = Nanos(tenant.world.now().0);
    trimmer.borrow_mut().note(now, tenant.trim.meter(busy));
    let Some(since) = tenant.trim.take_turn(now, PERIOD) else { return };
    tenant.trim.note_source(tenant.host.nvml);
    if !tenant.host.nvml {
        return;
    }
    let mut trimmer = trimmer.borrow_mut();
    trimmer.are_others(now, tenant.members.get());
    for (end, window) in windows(tenant, since) {
        tenant.trim.set_trim(trimmer.compare(end, window, tenant.trim.trim()));
    }
}

/// Notes what a tenant's processes have metered, for a thread that waits.
pub(super) fn glance(tenant: &Tenant, trimmer: &RefCell<Trimmer>) {
    trimmer.borrow_mut().glance(Nanos(tenant.world.now().0), tenant.trim.metered());
}

/// What NVML says of the windows that ended since an instant: when each ended, and what the tenant used in it.
fn windows(tenant: &Tenant, since: Nanos) -> Vec<(Nanos, Window)> {
    let (card, own) = (DeviceIndex(0), tenant.processes.borrow());
    let (samples, processes, wall) = tenant.world.machine(|machine| {
        let since = sim_model::Nanos(since.0);
        let wall = Nanos(machine.devices()[0].card.sample_window.0);
        (
            machine.samples(card, since).unwrap_or_default(),
            machine.process_samples(card, since).unwrap_or_default(),
            wall,
        )
    });
    let window = |sample: &Sample| {
        let at_once = || processes.iter().filter(|process| process.time == sample.time);
        let is_own = |process: &&ProcessSample| own.iter().any(|(pid, _)| pid.0 == process.pid);
        let used = at_once().filter(is_own).map(|process| process.utilization.gpu);
        let others = at_once().filter(|process| !is_own(process)).map(|process| process.utilization.gpu);
        (Nanos(sample.time.0), Window::of(wall, used, others, Some(sample.utilization.gpu)))
    };
    samples.iter().map(window).collect()
}
