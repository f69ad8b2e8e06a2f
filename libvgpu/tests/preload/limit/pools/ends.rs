//! When what a pool has taken comes back.

use super::{LEFT, STEP, allocate, allocate_from, create_pool, fill, free, tenant};
use crate::limit::books::Books;
use crate::limit::{GIB, MIB};
use crate::machine::{CONTEXT, Machine};
use crate::puppet::{OUT_OF_MEMORY, Puppet};

#[test]
fn waiting_gives_back_what_a_pool_does_not_keep() {
    for (device, wait) in [
        "cuStreamSynchronize 0",
        "cuStreamSynchronize_ptsz 0",
        "cuCtxSynchronize",
        "cuEventSynchronize",
        "cuMemPoolTrimTo",
        "cuMemFree_v2",
    ]
    .into_iter()
    .enumerate()
    {
        let machine = Machine::new();
        let mut tenant = tenant(&machine);
        let (other, address) = (tenant.allocate(MIB).unwrap(), allocate(&mut tenant, 100 * MIB).unwrap());
        free(&mut tenant, address);
        let wait = match wait {
            "cuEventSynchronize" => {
                let event = tenant.does("cuEventCreate out 0")[0];
                tenant.does(&format!("cuEventRecord {event} 0"));
                format!("{wait} {event}")
            }
            "cuMemPoolTrimTo" => {
                let pool = tenant.does("cuDeviceGetMemPool out 0")[0];
                format!("{wait} {pool} 0")
            }
            "cuMemFree_v2" => {
                let next = allocate(&mut tenant, MIB).unwrap();
                format!("{wait} {next}")
            }
            _ => wait.to_owned(),
        };
        tenant.does(&wait);
        // What the library follows is what the driver does, at once and without being asked.
        let pooled = machine.truth()["device.0.pooled"];
        assert_eq!(Books::of(&machine), Books::both(CONTEXT + MIB + pooled), "{device}: {wait}");
        tenant.free(other);
        tenant.does("cuCtxSynchronize");
        assert_eq!(Books::of(&machine), Books::both(CONTEXT), "{wait}");
    }
}

#[test]
fn either_call_frees_either_memory() {
    let machine = Machine::new();
    let mut tenant = tenant(&machine);
    let (linear, pooled) = (tenant.allocate(100 * MIB).unwrap(), allocate(&mut tenant, 100 * MIB).unwrap());
    free(&mut tenant, linear);
    tenant.free(pooled);
    tenant.does("cuStreamSynchronize 0");
    assert_eq!(Books::of(&machine), Books::both(CONTEXT));
    // Once.
    assert_eq!(tenant.ask(&format!("cuMemFreeAsync {linear} 0")), "1");
    assert_eq!(tenant.ask(&format!("cuMemFree_v2 {pooled}")), "1");
    assert!(tenant.allocate(LEFT).is_ok());
    assert_eq!(tenant.allocate(1), Err(OUT_OF_MEMORY));
}

#[test]
fn a_pool_that_is_destroyed_is_charged_until_its_last_allocation_is_freed() {
    let machine = Machine::new();
    let mut tenant = tenant(&machine);
    let pool = create_pool(&mut tenant, 0, 0);
    let kept = [(); 2].map(|()| allocate_from(&mut tenant, pool, STEP).unwrap());
    tenant.does(&format!("cuMemPoolDestroy {pool}"));
    assert_eq!(Books::of(&machine), Books::both(CONTEXT + 2 * STEP));
    free(&mut tenant, kept[0]);
    tenant.does("cuCtxSynchronize");
    assert!(Books::of(&machine).told >= CONTEXT + STEP);
    tenant.free(kept[1]);
    assert_eq!(Books::of(&machine), Books::both(CONTEXT));
    assert_eq!(tenant.ask(&format!("cuMemPoolDestroy {pool}")), "1");
}

#[test]
fn a_pool_that_is_destroyed_unused_is_not_charged() {
    let machine = Machine::new();
    let mut tenant = tenant(&machine);
    for _ in 0..3 {
        let pool = create_pool(&mut tenant, 0, 0);
        let address = allocate_from(&mut tenant, pool, MIB).unwrap();
        free(&mut tenant, address);
        tenant.does("cuStreamSynchronize 0");
        tenant.does(&format!("cuMemPoolDestroy {pool}"));
        assert_eq!(Books::of(&machine), Books::both(CONTEXT));
    }
}

#[test]
fn pools_of_several_processes_share_one_limit_and_end_with_them() {
    let machine = Machine::new();
    let mut tenants = [(); 2].map(|()| Puppet::with_context(machine.limited("2g")));
    let granted = tenants.each_mut().map(|tenant| fill(tenant).len() as u64);
    assert_eq!(granted, [(2 * GIB - 2 * CONTEXT) / STEP, 0]);
    let [first, mut second] = tenants;
    first.kill();
    assert_eq!(fill(&mut second).len() as u64, (2 * GIB - CONTEXT) / STEP);
    assert!(machine.truth()["device.0.resident_peak"] <= 2 * GIB);
}
