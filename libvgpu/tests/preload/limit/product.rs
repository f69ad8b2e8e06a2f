//! `vgpu run`, the library and the simulated GPU together.

use super::{GIB, MIB};
use crate::machine::{CONTEXT, Machine};
use crate::puppet::{Memory, Puppet};
use crate::run::Run;
use crate::stage;

/// A puppet at the end of `vgpu run OPTIONS`, as the child of a shell.
fn sliced(machine: &Machine, options: &[&str]) -> Run {
    let runtime = machine.path("runtime");
    std::fs::create_dir_all(&runtime).unwrap();
    let run = Run::natively(stage::file("bin/vgpu")).arg("run").arg("--sim=550");
    let run = options.iter().fold(run, |run, option| run.arg(option));
    // `:` keeps the shell from becoming the puppet.
    let run = run.arg("--").arg("sh").arg("-c").arg(r#""$0"; :"#).arg(stage::file("bin/puppet"));
    run.env("XDG_RUNTIME_DIR", runtime).env("VGPU_SIM_SOCKET", machine.path("socket"))
}

#[test]
fn a_child_of_the_command_lives_in_the_slice() {
    let machine = Machine::new();
    let mut tenant = Puppet::with_context(sliced(&machine, &["--memory", "1Gi"]));
    assert_eq!(tenant.memory(), Memory { free: GIB - CONTEXT, total: GIB });
    assert_eq!(tenant.allocate(GIB - CONTEXT + 1), Err(2));
    assert!(tenant.allocate(GIB - CONTEXT).is_ok());
    let (status, errors) = tenant.end();
    assert!(status.success() && errors.is_empty(), "{status}: {errors}");
}

#[test]
fn two_slices_do_not_see_each_other() {
    let machine = Machine::new();
    let mut one = Puppet::with_context(sliced(&machine, &["--memory", "1Gi"]));
    let mut other = Puppet::with_context(sliced(&machine, &["--memory", "2Gi"]));
    one.allocate(100 * MIB).unwrap();
    assert_eq!(one.memory().free, GIB - CONTEXT - 100 * MIB);
    assert_eq!(other.memory(), Memory { free: 2 * GIB - CONTEXT, total: 2 * GIB });
}

#[test]
fn a_gpu_that_was_not_selected_has_nothing_to_give() {
    let machine = Machine::with("550", 2);
    let mut tenant = Puppet::start(sliced(&machine, &["--memory", "1Gi", "--gpus", "1"]));
    tenant.does("cuInit 0");
    assert_eq!(tenant.does("cuDeviceTotalMem_v2 out 1"), [GIB]);
    assert_eq!(tenant.ask("cuCtxCreate_v2 out 0 0"), "2");
    tenant.does("cuCtxCreate_v2 out 0 1");
    assert_eq!(tenant.memory().free, GIB - CONTEXT);
}
