//! Which pool an allocation comes from, and whose memory that is.

use super::{LEFT, STEP, allocate, allocate_from, create_pool, free, tenant};
use crate::limit::books::Books;
use crate::limit::{GIB, MIB};
use crate::machine::{CONTEXT, Machine};
use crate::puppet::{OUT_OF_MEMORY, Puppet};

#[test]
fn the_pool_that_is_current_is_the_one_that_is_charged() {
    let machine = Machine::new();
    let mut tenant = tenant(&machine);
    let pool = create_pool(&mut tenant, 0, 64 * MIB);
    tenant.does(&format!("cuDeviceSetMemPool 0 {pool}"));
    allocate(&mut tenant, MIB).unwrap();
    assert_eq!(Books::of(&machine), Books::both(CONTEXT + STEP));
    assert_eq!(allocate(&mut tenant, 64 * MIB), Err(OUT_OF_MEMORY), "the pool's own bound");
    assert_eq!(Books::of(&machine), Books::both(CONTEXT + STEP));
}

#[test]
fn a_pool_is_charged_to_its_own_device() {
    let machine = Machine::with("550", 2);
    let mut tenant = tenant(&machine);
    let pool = create_pool(&mut tenant, 1, 0);
    let all = allocate_from(&mut tenant, pool, GIB).unwrap();
    assert_eq!((tenant.memory().free, machine.truth()["device.1.pooled"]), (LEFT, GIB));
    assert_eq!(allocate_from(&mut tenant, pool, 1), Err(OUT_OF_MEMORY));
    free(&mut tenant, all);
    tenant.does("cuCtxSynchronize");
    assert_eq!(machine.truth()["device.1.pooled"], 0);
    assert!(allocate_from(&mut tenant, pool, 1).is_ok());
}

#[test]
fn a_stream_of_another_device_takes_memory_there() {
    let machine = Machine::with("550", 2);
    let mut tenant = Puppet::start(machine.limited("1g"));
    tenant.does("cuInit 0");
    let contexts = [1, 0].map(|device| tenant.does(&format!("cuCtxCreate_v2 out 0 {device}"))[0]);
    tenant.does(&format!("cuCtxSetCurrent {}", contexts[0]));
    let stream = tenant.does("cuStreamCreate out 1")[0];
    tenant.does(&format!("cuCtxSetCurrent {}", contexts[1]));
    tenant.does(&format!("cuMemAllocAsync out {} {stream}", 128 * MIB));
    assert_eq!(tenant.memory().free, LEFT);
    tenant.does(&format!("cuCtxSetCurrent {}", contexts[0]));
    assert_eq!(tenant.memory().free, LEFT - 128 * MIB);
}

#[test]
fn pools_of_host_memory_cost_nothing() {
    let machine = Machine::with("580", 1);
    let mut tenant = tenant(&machine);
    // Made by the program, and the host's own: `CU_MEM_LOCATION_TYPE_HOST`, `..._HOST_NUMA_CURRENT`.
    let mut pools: Vec<_> =
        [2, 4].iter().map(|kind| tenant.does(&format!("cuMemPoolCreate out in=1,{kind},0,0"))[0]).collect();
    for kind in [2, 4] {
        pools.push(tenant.does(&format!("cuMemGetDefaultMemPool out in={kind} 1"))[0]);
        let current = tenant.does(&format!("cuMemGetMemPool out in={kind} 1"))[0];
        assert_eq!(Some(&current), pools.last());
    }
    // As much as the slice has not.
    let all: Vec<_> =
        pools.iter().map(|pool| allocate_from(&mut tenant, *pool, 1536 * MIB).unwrap()).collect();
    assert_eq!(Books::of(&machine), Books::both(CONTEXT));
    assert!(tenant.allocate(LEFT).is_ok());
    for address in all {
        free(&mut tenant, address);
    }
    assert_eq!(Books::of(&machine), Books::both(GIB));
}

#[test]
fn the_pool_that_is_set_for_a_device_as_a_place_is_the_one_that_is_charged() {
    let machine = Machine::with("580", 1);
    let mut tenant = tenant(&machine);
    let default = tenant.does("cuMemGetDefaultMemPool out in=1 1")[0];
    assert_eq!(default, tenant.does("cuMemGetMemPool out in=1 1")[0]);
    allocate_from(&mut tenant, default, MIB).unwrap();
    assert_eq!(Books::of(&machine), Books::both(CONTEXT + STEP));
    let pool = create_pool(&mut tenant, 0, 0);
    tenant.does(&format!("cuMemSetMemPool in=1 1 {pool}"));
    allocate(&mut tenant, 100 * MIB).unwrap();
    assert_eq!(Books::of(&machine), Books::both(CONTEXT + STEP + 100 * MIB));
    tenant.does(&format!("cuMemPoolTrimTo {pool} 0"));
    assert_eq!(allocate(&mut tenant, LEFT), Err(OUT_OF_MEMORY));
}
