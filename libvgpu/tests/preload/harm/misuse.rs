//! Misuse gets the driver's own answer.

use crate::machine::{BRANCHES, Machine, both_ways};
use crate::puppet::Puppet;

/// Wrong calls, and right ones in wrong places; a context is current.
const MISUSE: &[&str] = &[
    "cuInit 1",
    "cuMemAlloc_v2 null 4096",
    "cuMemAlloc_v2 null 0",
    "cuMemAlloc_v2 out 0",
    "cuMemAlloc null 4096",
    "cuMemAlloc out 0",
    "cuMemAllocManaged null 4096 1",
    "cuMemAllocManaged out 0 1",
    "cuMemAllocManaged out 4096 77",
    "cuMemAllocPitch_v2 null out 100 100 4",
    "cuMemAllocPitch_v2 out null 100 100 4",
    "cuMemAllocPitch_v2 null null 100 100 4",
    "cuMemAllocPitch_v2 out out 0 100 4",
    "cuMemAllocPitch_v2 out out 100 0 4",
    "cuMemAllocPitch_v2 out out 100 100 3",
    "cuMemAllocPitch null out 100 100 4",
    "cuMemFree_v2 0",
    "cuMemFree_v2 4660",
    "cuMemFree_v2 -1",
    "cuMemFree 0",
    "cuMemFree 4660",
    "cuMemGetInfo_v2 null null",
    "cuMemGetInfo null null",
    "cuDeviceTotalMem_v2 null 0",
    "cuDeviceTotalMem null 0",
    "cuDeviceTotalMem_v2 out 99",
    "cuDeviceTotalMem_v2 out -1",
    "cuCtxCreate_v2 null 0 0",
    "cuCtxCreate_v2 out 0 99",
    "cuCtxCreate_v2 out 99999 0",
    "cuCtxDestroy_v2 null",
    "cuDevicePrimaryCtxRetain null 0",
    "cuDevicePrimaryCtxRetain out 99",
    "cuDevicePrimaryCtxRelease_v2 0",
    "cuDevicePrimaryCtxRelease_v2 99",
    "cuDevicePrimaryCtxReset_v2 99",
    "cuGetProcAddress_v2 'cuNothing' out 12000 0 out",
    "cuGetProcAddress_v2 'cuInit' out 12000 8 out",
    "cuGetProcAddress 'cuNothing' out 12000 0",
    "nvmlDeviceGetMemoryInfo null out*3",
    "nvmlInit_v2",
    "nvmlDeviceGetMemoryInfo null out*3",
    "nvmlDeviceGetMemoryInfo null null",
    "nvmlDeviceGetHandleByIndex_v2 99 out",
    "nvmlShutdown",
    "nvmlShutdown",
];

#[test]
fn misuse_without_a_limit_gets_the_driver_s_own_answer() {
    for branch in BRANCHES {
        let script: Vec<_> = ["cuInit 0", "cuCtxCreate_v2 out 0 0"].iter().chain(MISUSE).copied().collect();
        let [native, preloaded] = both_ways(&Machine::with(branch, 1), &script);
        for ((line, native), preloaded) in script.iter().zip(native).zip(preloaded).skip(2) {
            assert_eq!(preloaded, native, "{line} on {branch}");
        }
    }
}

#[test]
fn misuse_under_a_limit_gets_the_driver_s_own_answer() {
    for branch in BRANCHES {
        let machine = Machine::with(branch, 1);
        let mut native = Puppet::with_context(machine.native());
        let mut limited = Puppet::with_context(machine.limited("1g"));
        for line in MISUSE {
            assert_eq!(limited.ask(line), native.ask(line), "{line} on {branch}");
        }
    }
}

#[test]
fn calls_before_cuinit_get_the_driver_s_own_answer() {
    let machine = Machine::new();
    let mut native = Puppet::start(machine.native());
    let mut limited = Puppet::start(machine.limited("1g"));
    for line in MISUSE.iter().filter(|line| !line.starts_with("nvml")) {
        assert_eq!(limited.ask(line), native.ask(line), "{line}");
    }
}

#[test]
fn calls_without_a_context_get_the_driver_s_own_answer() {
    let machine = Machine::new();
    let [mut native, mut limited] = [machine.native(), machine.limited("1g")].map(Puppet::start);
    for puppet in [&mut native, &mut limited] {
        puppet.does("cuInit 0");
    }
    for line in [
        "cuMemAlloc_v2 out 4096",
        "cuMemGetInfo_v2 out out",
        "cuMemFree_v2 4660",
        "cuMemAllocManaged out 1 1",
    ] {
        assert_eq!(limited.ask(line), native.ask(line), "{line}");
    }
}

#[test]
fn freeing_twice_and_freeing_the_inside_get_the_driver_s_own_answer_and_change_no_account() {
    let machine = Machine::new();
    let [mut native, mut limited] = [machine.native(), machine.limited("1g")].map(Puppet::with_context);
    let free = limited.memory().free;
    let answers = [&mut native, &mut limited].map(|puppet| {
        let address = puppet.allocate(8192).unwrap();
        let inside = puppet.ask(&format!("cuMemFree_v2 {}", address + 4096));
        puppet.free(address);
        [inside, puppet.ask(&format!("cuMemFree_v2 {address}"))]
    });
    assert_eq!(answers[0], answers[1]);
    assert_eq!(limited.memory().free, free);
}

#[test]
fn memory_holds_what_is_written_to_it() {
    let machine = Machine::new();
    let mut tenant = Puppet::with_context(machine.limited("1g"));
    let address = tenant.allocate(1 << 20).unwrap();
    assert_eq!(tenant.ask(&format!("fill {address} 1048576 90")), "0 0 1048576");
}
