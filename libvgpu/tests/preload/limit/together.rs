//! Every kind of memory in one context, and what is left of it when that ends.

use super::MIB;
use super::books::told;
use crate::machine::{CONTEXT, Machine};
use crate::puppet::Puppet;

/// `CU_MEMPOOL_ATTR_RELEASE_THRESHOLD`
const RELEASE_THRESHOLD: u64 = 4;

/// Some of every kind in the current context.
fn take_everything(tenant: &mut Puppet) {
    tenant.allocate(10 * MIB).unwrap();
    tenant.does(&format!("cuMemAllocManaged out {} 1", 10 * MIB));
    tenant.does(&format!("cuArray3DCreate_v2 out in=1024,1024,0,{},0", 0x20 | 1_u64 << 32));
    let pool = tenant.does("cuMemPoolCreate out in=1,1,0,0")[0];
    tenant.does(&format!("cuMemPoolSetAttribute {pool} {RELEASE_THRESHOLD} in=0xffffffffffffffff"));
    tenant.does(&format!("cuMemAllocFromPoolAsync out {} {pool} 0", 10 * MIB));
    let address = tenant.does(&format!("cuMemAllocAsync out {} 0", 10 * MIB))[0];
    tenant.does(&format!("cuMemFreeAsync {address} 0"));
    let handle = tenant.does(&format!("cuMemCreate out {} in=1,1 0", 20 * MIB))[0];
    let address = tenant.does(&format!("cuMemAddressReserve out {} 0 0 0", 20 * MIB))[0];
    tenant.does(&format!("cuMemMap {address} {} 0 {handle} 0", 20 * MIB));
    tenant.does(&format!("cuMemRelease {handle}"));
    for frees in [true, false] {
        launch(tenant, 30 * MIB, frees);
    }
}

/// Launches a graph that allocates so much.
fn launch(tenant: &mut Puppet, bytes: u64, frees: bool) {
    let stream = tenant.does("cuStreamCreate out 1")[0];
    tenant.does(&format!("cuStreamBeginCapture_v2 {stream} 0"));
    let address = tenant.does(&format!("cuMemAllocAsync out {bytes} {stream}"))[0];
    if frees {
        tenant.does(&format!("cuMemFreeAsync {address} {stream}"));
    }
    let graph = tenant.does(&format!("cuStreamEndCapture {stream} out"))[0];
    let exec = tenant.does(&format!("cuGraphInstantiateWithFlags out {graph} 0"))[0];
    tenant.does(&format!("cuGraphLaunch {exec} {stream}"));
}

#[test]
fn what_outlives_a_context_stays_charged_and_what_does_not_is_given_back() {
    let machine = Machine::new();
    let mut tenant = Puppet::start(machine.limited("2g"));
    tenant.does("cuInit 0");
    for end in ["cuDevicePrimaryCtxReset_v2 0", "cuDevicePrimaryCtxRelease_v2 0", "cuCtxDestroy_v2"] {
        let create =
            if end.contains("Primary") { "cuDevicePrimaryCtxRetain out 0" } else { "cuCtxCreate_v2 out 0 0" };
        let context = tenant.does(create)[0];
        tenant.does(&format!("cuCtxSetCurrent {context}"));
        take_everything(&mut tenant);
        let before = told(&machine);
        let truth = machine.truth();
        assert_eq!(before, truth["device.0.resident"] + truth["device.0.managed"], "{end}");
        let line = if end.contains("Primary") { end.to_owned() } else { format!("{end} {context}") };
        tenant.does(&line);
        let left = told(&machine);
        assert!(left <= before - CONTEXT, "{end}: {left} of {before}");
        assert_eq!(left, machine.truth()["device.0.resident"], "{end}");
        if end.contains("Reset") {
            tenant.does("cuDevicePrimaryCtxRelease_v2 0");
        }
    }
    assert_eq!(machine.truth()["device.0.refused"], 0);
}
