//! Memory that nobody asks for by size: it is charged when it is seen, and what is charged then is what the machine has given.

use super::books::{agreed, told};
use super::{GIB, MIB};
use crate::machine::{CONTEXT, Machine};
use crate::patience::eventually;
use crate::puppet::{OUT_OF_MEMORY, Puppet};
use std::fs;
use std::time::Duration;

/// What a slice of 1 GiB has left beside a context.
const LEFT: u64 = GIB - CONTEXT;
/// Threads that the card runs at once.
pub(super) const THREADS: u64 = 132 * 2048;
/// `CU_LIMIT_STACK_SIZE`, `CU_LIMIT_MALLOC_HEAP_SIZE`
pub(super) const STACK: u32 = 0;
const HEAP: u32 = 2;

/// A tenant of 1 GiB that loads code at once, or with its first use.
fn tenant(machine: &Machine, loading: &str) -> Puppet {
    Puppet::with_context(machine.limited("1g").env("CUDA_MODULE_LOADING", loading))
}

/// A file with an image: `lines` of a text that describes kernels.
pub(super) fn image(machine: &Machine, lines: &str) -> String {
    let path = machine.path("image");
    fs::write(&path, format!("SIMKERN v1\n{lines}\n")).unwrap();
    format!("'{}'", path.display())
}

pub(super) fn load(tenant: &mut Puppet, image: &str) -> u64 {
    tenant.does(&format!("cuModuleLoad out {image}"))[0]
}

fn function(tenant: &mut Puppet, module: u64, name: &str) -> u64 {
    tenant.does(&format!("cuModuleGetFunction out {module} '{name}'"))[0]
}

/// What the slice is told to use, once that is what the machine has given it, which may be now or soon.
fn agreed_soon(machine: &Machine, tenant: &mut Puppet) -> u64 {
    eventually("told of what is given", || {
        // Asking is an occasion to look.
        tenant.memory();
        let told = told(machine);
        (told == machine.truth()["device.0.resident"]).then_some(told)
    })
}

#[test]
fn code_is_charged_when_it_is_loaded_and_given_back_when_it_is_unloaded() {
    let machine = Machine::new();
    let image = image(&machine, "code=33554432\nname=k");
    let mut tenant = tenant(&machine, "EAGER");
    let module = load(&mut tenant, &image);
    assert_eq!(tenant.memory().free, LEFT - 32 * MIB);
    agreed(&machine);
    tenant.does(&format!("cuModuleUnload {module}"));
    assert_eq!(tenant.memory().free, LEFT);
}

#[test]
fn code_that_comes_with_its_first_use_is_charged_then() {
    let machine = Machine::new();
    let image = image(&machine, "code=33554432\nname=k");
    let mut tenant = tenant(&machine, "LAZY");
    let module = load(&mut tenant, &image);
    assert_eq!(tenant.memory().free, LEFT);
    function(&mut tenant, module, "k");
    assert_eq!(agreed_soon(&machine, &mut tenant), CONTEXT + 32 * MIB);
}

/// As an inference engine does that loads its kernels one by one.
#[test]
fn code_is_loaded_until_the_slice_is_full_and_not_a_module_more() {
    let machine = Machine::new();
    let image = image(&machine, "code=33554432\nname=k");
    let mut tenant = tenant(&machine, "EAGER");
    let call = format!("cuModuleLoad out {image}");
    let mut modules = Vec::new();
    while let [0, module] = tenant.numbers(&call)[..] {
        modules.push(module);
        agreed(&machine);
    }
    // One event may overshoot.
    assert_eq!(modules.len() as u64, LEFT / (32 * MIB) + 1);
    assert_eq!(tenant.numbers(&call), [OUT_OF_MEMORY]);
    assert_eq!(tenant.allocate(1), Err(OUT_OF_MEMORY));
    assert_eq!(machine.truth()["device.0.refused"], 0);
    tenant.does(&format!("cuModuleUnload {}", modules[0]));
    assert!(tenant.allocate(LEFT % (32 * MIB)).is_ok());
    assert_eq!(tenant.allocate(1), Err(OUT_OF_MEMORY));
}

#[test]
fn lazily_loaded_code_does_not_get_past_a_full_slice() {
    let machine = Machine::new();
    let image = image(&machine, "code=33554432\nname=k");
    let mut tenant = tenant(&machine, "LAZY");
    let modules = [(); 40].map(|()| load(&mut tenant, &image));
    let mut modules = modules.iter().cycle();
    eventually("a refusal of forty times 32 MiB of code in 1 GiB", || {
        let call = format!("cuModuleGetFunction out {} 'k'", modules.next()?);
        let is_refused = tenant.numbers(&call) == [OUT_OF_MEMORY];
        // Looks are a tenth of a second apart, or more where they take long.
        std::thread::sleep(Duration::from_millis(120));
        is_refused.then_some(())
    });
    assert!(agreed_soon(&machine, &mut tenant) > GIB);
}

#[test]
fn stacks_are_charged_and_must_fit() {
    let machine = Machine::new();
    let mut tenant = tenant(&machine, "LAZY");
    assert_eq!(tenant.ask(&format!("cuCtxSetLimit {STACK} 4096")), "2");
    assert_eq!(tenant.memory().free, LEFT);
    tenant.does(&format!("cuCtxSetLimit {STACK} 2048"));
    assert_eq!(tenant.memory().free, LEFT - 1024 * THREADS);
    agreed(&machine);
    tenant.does(&format!("cuCtxSetLimit {STACK} 1024"));
    assert_eq!(tenant.memory().free, LEFT);
    assert_eq!(machine.truth()["device.0.refused"], 0);
}

#[test]
fn stacks_are_given_back_while_the_slice_is_over_its_limit() {
    let machine = Machine::new();
    let image = image(&machine, "code=33554432\nname=k");
    let mut tenant = tenant(&machine, "EAGER");
    tenant.does(&format!("cuCtxSetLimit {STACK} 1280"));
    tenant.allocate(LEFT - 256 * THREADS).unwrap();
    // The one event that may go over the limit.
    load(&mut tenant, &image);
    assert_eq!(tenant.ask(&format!("cuCtxSetLimit {STACK} 1281")), "2");
    tenant.does(&format!("cuCtxSetLimit {STACK} 1024"));
    assert_eq!(tenant.memory().free, 256 * THREADS - 32 * MIB);
}

#[test]
fn a_heap_must_fit_and_is_charged_with_the_module_that_needs_it() {
    let machine = Machine::new();
    let image = image(&machine, "name=k heap=1");
    let mut tenant = tenant(&machine, "LAZY");
    assert_eq!(tenant.ask(&format!("cuCtxSetLimit {HEAP} {GIB}")), "2");
    tenant.does(&format!("cuCtxSetLimit {HEAP} {}", 64 * MIB));
    assert_eq!(tenant.memory().free, LEFT);
    load(&mut tenant, &image);
    assert_eq!(tenant.memory().free, LEFT - 64 * MIB);
    agreed(&machine);
}

#[test]
fn local_memory_of_a_kernel_is_charged_soon_after_its_launch() {
    let machine = Machine::new();
    let image = image(&machine, "name=deep local=3072");
    let mut tenant = tenant(&machine, "LAZY");
    let module = load(&mut tenant, &image);
    let deep = function(&mut tenant, module, "deep");
    tenant.does(&format!("cuFuncSetBlockShape {deep} 1 1 1"));
    tenant.does(&format!("cuLaunch {deep}"));
    tenant.does("cuCtxSynchronize");
    assert_eq!(machine.truth()["device.0.runtime"], 2048 * THREADS);
    assert!(agreed_soon(&machine, &mut tenant) > CONTEXT + 2048 * THREADS);
    assert_eq!(tenant.allocate(LEFT - 2048 * THREADS), Err(OUT_OF_MEMORY));
}

#[test]
fn what_is_rounded_by_the_driver_is_not_taken_for_something_unseen() {
    let machine = Machine::new();
    let image = image(&machine, "code=33554432\nname=k");
    let mut tenant = tenant(&machine, "EAGER");
    let sizes = [1, 1000, 3 * MIB + 1, 5 * MIB - 7, MIB + 1];
    let asked: u64 = sizes.iter().sum();
    for bytes in sizes {
        tenant.allocate(bytes).unwrap();
    }
    tenant.does("cuMemAllocManaged out 1048577 1");
    load(&mut tenant, &image);
    assert_eq!(tenant.memory().free, LEFT - 32 * MIB - asked - 1_048_577);
}

#[test]
fn a_context_s_end_gives_its_code_and_stacks_back() {
    let machine = Machine::new();
    let image = image(&machine, "code=33554432\nname=k heap=1");
    let mut tenant = Puppet::start(machine.limited("2g").env("CUDA_MODULE_LOADING", "EAGER"));
    tenant.does("cuInit 0");
    for _ in 0..3 {
        let context = tenant.does("cuCtxCreate_v2 out 0 0")[0];
        load(&mut tenant, &image);
        tenant.does(&format!("cuCtxSetLimit {STACK} 2048"));
        assert_eq!(tenant.memory().free, 2 * GIB - CONTEXT - 40 * MIB - 1024 * THREADS);
        tenant.does(&format!("cuCtxDestroy_v2 {context}"));
        assert_eq!(agreed(&machine), 0);
    }
}

#[test]
fn a_capture_goes_on_while_something_is_loaded() {
    let machine = Machine::new();
    let image = image(&machine, "code=33554432\nname=k");
    let mut tenant = tenant(&machine, "EAGER");
    let stream = tenant.does("cuStreamCreate out 1")[0];
    tenant.does(&format!("cuStreamBeginCapture_v2 {stream} 0"));
    load(&mut tenant, &image);
    tenant.memory();
    tenant.does(&format!("cuCtxSetLimit {STACK} 2048"));
    assert_eq!(tenant.does(&format!("cuStreamIsCapturing {stream} out"))[0], 1);
    tenant.does(&format!("cuStreamEndCapture {stream} out"));
}

#[test]
fn processes_are_charged_for_their_own_code() {
    let machine = Machine::new();
    let image = image(&machine, "code=33554432\nname=k");
    let mut tenants =
        [(); 2].map(|()| Puppet::with_context(machine.limited("2g").env("CUDA_MODULE_LOADING", "EAGER")));
    for tenant in &mut tenants {
        load(tenant, &image);
    }
    assert_eq!(agreed(&machine), 2 * (CONTEXT + 32 * MIB));
}
