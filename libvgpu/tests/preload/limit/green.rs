//! Green contexts: their memory is the primary context's.

use super::books::{agreed, told};
use super::{GIB, MIB};
use crate::machine::{CONTEXT, Machine};
use crate::puppet::{OUT_OF_MEMORY, Puppet};

/// `CU_DEV_RESOURCE_TYPE_SM`
const MULTIPROCESSORS: u32 = 1;
/// What a green context takes.
const GREEN: u64 = 4 * MIB;

fn tenant(machine: &Machine) -> Puppet {
    let mut tenant = Puppet::start(machine.limited("1g"));
    tenant.does("cuInit 0");
    tenant
}

/// What all multiprocessors of the first device are called.
fn desc(tenant: &mut Puppet) -> u64 {
    // A resource is 144 bytes; only the first 128 of them say something.
    let resource = tenant.does(&format!("cuDeviceGetDevResource 0 out*18 {MULTIPROCESSORS}"));
    let words: Vec<String> = resource[..16].iter().map(u64::to_string).collect();
    tenant.does(&format!("cuDevResourceGenerateDesc out in={} 1", words.join(",")))[0]
}

fn view(tenant: &mut Puppet, green: u64) -> u64 {
    let view = tenant.does(&format!("cuCtxFromGreenCtx out {green}"))[0];
    tenant.does(&format!("cuCtxSetCurrent {view}"));
    view
}

#[test]
fn green_contexts_are_charged_for_the_primary_one_once_and_for_themselves() {
    let machine = Machine::with("570", 1);
    let mut tenant = tenant(&machine);
    let desc = desc(&mut tenant);
    let greens = [(); 3].map(|()| tenant.does(&format!("cuGreenCtxCreate out {desc} 0 1"))[0]);
    assert_eq!(agreed(&machine), CONTEXT + 3 * GREEN);
    view(&mut tenant, greens[0]);
    assert_eq!(tenant.memory().free, GIB - CONTEXT - 3 * GREEN);
    let memory = tenant.allocate(100 * MIB).unwrap();
    tenant.does(&format!("cuGreenCtxDestroy {}", greens[0]));
    assert_eq!(told(&machine), CONTEXT + 2 * GREEN + 100 * MIB, "memory is the primary context's");
    view(&mut tenant, greens[1]);
    tenant.free(memory);
    assert_eq!(told(&machine), CONTEXT + 2 * GREEN);
    tenant.allocate(MIB).unwrap();
    for green in &greens[1..] {
        tenant.does(&format!("cuGreenCtxDestroy {green}"));
    }
    assert_eq!(agreed(&machine), 0);
}

#[test]
fn a_green_context_that_does_not_fit_with_its_primary_one_is_refused() {
    let machine = Machine::with("570", 1);
    let mut tenant = tenant(&machine);
    let desc = desc(&mut tenant);
    tenant.does("cuCtxCreate_v2 out 0 0");
    tenant.allocate(GIB - 2 * CONTEXT + MIB).unwrap();
    let create = format!("cuGreenCtxCreate out {desc} 0 1");
    assert_eq!(tenant.numbers(&create), [OUT_OF_MEMORY]);
    assert_eq!(machine.truth()["device.0.refused"], 0);
}

#[test]
fn a_green_context_beside_a_retained_primary_one_leaves_that_alone() {
    let machine = Machine::with("570", 1);
    let mut tenant = tenant(&machine);
    let desc = desc(&mut tenant);
    tenant.does("cuDevicePrimaryCtxRetain out 0");
    let green = tenant.does(&format!("cuGreenCtxCreate out {desc} 0 1"))[0];
    assert_eq!(told(&machine), CONTEXT + GREEN);
    tenant.does(&format!("cuGreenCtxDestroy {green}"));
    assert_eq!(told(&machine), CONTEXT);
    let again = tenant.does(&format!("cuGreenCtxCreate out {desc} 0 1"))[0];
    view(&mut tenant, again);
    tenant.allocate(MIB).unwrap();
    tenant.does("cuDevicePrimaryCtxReset_v2 0");
    assert_eq!(agreed(&machine), 0);
    assert_eq!(tenant.ask(&format!("cuGreenCtxDestroy {again}")), "0");
    tenant.does("cuDevicePrimaryCtxRelease_v2 0");
    assert_eq!(told(&machine), 0);
}
