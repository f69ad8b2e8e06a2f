//! What nobody asks for by size, in containers where NVML knows this process by another id, or is not there.

use super::observed::{STACK, THREADS, image, load};
use super::{GIB, MIB};
use crate::machine::{CONTEXT, Machine};
use crate::namespace;
use crate::patience::eventually;
use crate::puppet::Puppet;
use crate::run::Run;
use crate::stage;
use std::os::unix::fs::symlink;
use std::time::Duration;

/// `puppet` in a PID namespace of its own, where NVML lists processes by ids that are nobody's there.
fn elsewhere(machine: &Machine) -> Option<Puppet> {
    let run = namespace::of_processes(&stage::file("bin/puppet"))?;
    let run = machine.in_container(machine.on(run), "2g").env("CUDA_MODULE_LOADING", "EAGER");
    Some(Puppet::with_context(run))
}

#[test]
fn a_process_that_nvml_knows_by_an_id_of_the_host_is_charged_for_its_own_code_and_not_for_a_neighbour_s() {
    let machine = Machine::new();
    let image = image(&machine, "code=33554432\nname=k");
    let Some(mut tenant) = elsewhere(&machine) else { return };
    let mut neighbour = Puppet::with_context(machine.native());
    neighbour.tell(&format!("race 20000 {}", 2 * GIB));
    let module = load(&mut tenant, &image);
    assert_eq!(tenant.memory().free, 2 * GIB - CONTEXT - 32 * MIB);
    tenant.does(&format!("cuModuleUnload {module}"));
    assert_eq!(tenant.memory().free, 2 * GIB - CONTEXT);
    neighbour.kill();
}

#[test]
fn of_two_processes_that_begin_at_once_each_is_recognised_by_what_it_allocates() {
    let machine = Machine::new();
    let image = image(&machine, "code=33554432\nname=k");
    let Some(run) = namespace::of_processes(&stage::file("bin/puppet")) else { return };
    let run = machine.in_container(machine.on(run), "2g").env("CUDA_MODULE_LOADING", "EAGER");
    let mut tenant = Puppet::start(run);
    tenant.does("cuInit 0");
    // Another one begins in the same moment, so that of two newcomers either may be this one.
    let newcomer = Puppet::start(machine.native());
    let mut newcomer = created_while(&mut tenant, newcomer);
    eventually("the code is charged to whom it belongs", || {
        let memory = tenant.allocate(64 * MIB).unwrap();
        std::thread::sleep(Duration::from_millis(120));
        tenant.memory();
        tenant.free(memory);
        std::thread::sleep(Duration::from_millis(120));
        let module = load(&mut tenant, &image);
        let is_recognised = tenant.memory().free == 2 * GIB - CONTEXT - 32 * MIB;
        tenant.does(&format!("cuModuleUnload {module}"));
        is_recognised.then_some(())
    });
    newcomer.does("cuCtxSynchronize");
}

/// Lets both create their contexts at once.
fn created_while(tenant: &mut Puppet, mut newcomer: Puppet) -> Puppet {
    newcomer.does("cuInit 0");
    tenant.tell("cuCtxCreate_v2 out 0 0");
    newcomer.does("cuCtxCreate_v2 out 0 0");
    assert!(tenant.hear().starts_with("0 "));
    newcomer
}

/// Over and over, since the moments must meet: what a process took for its context was once two of them, which a small slice has
/// no room for, for as long as it lives.
#[test]
fn a_context_is_not_taken_for_two_because_a_neighbour_begins_in_the_same_moment() {
    for _ in 0..20 {
        let machine = Machine::new();
        let Some(run) = namespace::of_processes(&stage::file("bin/puppet")) else { return };
        let mut tenant = Puppet::start(machine.in_container(machine.on(run), "800m"));
        let mut newcomers = [(); 8].map(|()| Puppet::start(machine.native()));
        tenant.does("cuInit 0");
        for newcomer in &mut newcomers {
            newcomer.does("cuInit 0");
        }
        tenant.tell("cuCtxCreate_v2 out 0 0");
        for newcomer in &mut newcomers {
            std::thread::sleep(Duration::from_micros(500));
            newcomer.does("cuCtxCreate_v2 out 0 0");
        }
        assert!(tenant.hear().starts_with("0 "));
        let free = tenant.memory().free;
        assert!([CONTEXT, 512 * MIB].map(|context| 800 * MIB - context).contains(&free), "{}", free / MIB);
    }
}

/// A puppet in a container that has no NVML.
fn without_nvml(machine: &Machine) -> Puppet {
    let driver = machine.directory("driver");
    symlink(stage::file("sim/550/libcuda.so.1"), driver.join("libcuda.so.1")).unwrap();
    let run = Run::preloaded(stage::file("bin/puppet")).libraries(&driver);
    let run = run.env("VGPU_SIM_SOCKET", machine.path("socket"));
    let run = run.env("VGPU_SIM_KERNEL", stage::file("bin/vgpu-sim-kernel"));
    Puppet::with_context(machine.in_container(run, "1g").env("CUDA_MODULE_LOADING", "EAGER"))
}

#[test]
fn without_nvml_code_is_charged_by_what_the_device_has_less() {
    let machine = Machine::new();
    let image = image(&machine, "code=33554432\nname=k");
    let mut tenant = without_nvml(&machine);
    let left = tenant.memory().free;
    let module = load(&mut tenant, &image);
    assert_eq!(tenant.memory().free, left - 32 * MIB);
    tenant.allocate(MIB).unwrap();
    tenant.does(&format!("cuCtxSetLimit {STACK} 2048"));
    assert_eq!(tenant.memory().free, left - 33 * MIB - 1024 * THREADS);
    tenant.does(&format!("cuCtxSetLimit {STACK} 1024"));
    tenant.does(&format!("cuModuleUnload {module}"));
    assert_eq!(tenant.memory().free, left - MIB);
    let call = format!("cuModuleLoad out {image}");
    let loaded = (0..40).take_while(|_| tenant.numbers(&call)[0] == 0).count() as u64;
    assert_eq!(loaded, (left - MIB) / (32 * MIB) + 1);
}
