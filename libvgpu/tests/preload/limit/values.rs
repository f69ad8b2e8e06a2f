//! How a limit is written in the environment.

use super::GIB;
use crate::machine::Machine;
use crate::puppet::Puppet;

/// The size of the GPU that a program sees under `CUDA_DEVICE_MEMORY_LIMIT=value`.
fn total(value: &str) -> u64 {
    let machine = Machine::new();
    let mut tenant = Puppet::start(machine.limited(value));
    tenant.does("cuInit 0");
    tenant.does("cuDeviceTotalMem_v2 out 0")[0]
}

#[test]
fn every_way_to_write_1_gib_means_1_gib() {
    for value in ["1g", "1G", "1024m", "1024M", "1048576k", "1Gi", "1024Mi", "1073741824"] {
        assert_eq!(total(value), GIB, "{value}");
    }
}

#[test]
fn zero_is_no_limit() {
    let native = {
        let machine = Machine::new();
        let mut puppet = Puppet::start(machine.native());
        puppet.does("cuInit 0");
        puppet.does("cuDeviceTotalMem_v2 out 0")[0]
    };
    for value in ["0", "0m", "0g"] {
        assert_eq!(total(value), native, "{value}");
    }
}

#[test]
fn a_limit_above_the_card_is_the_card() {
    assert_eq!(total("1024g"), total("0"));
}

#[test]
fn a_malformed_limit_lets_nothing_start_and_is_named_once() {
    for value in ["1.5g", "1024MB", "08g", "-1", "abc", "1g ", "g", "99999999999999g"] {
        let machine = Machine::new();
        let mut tenant = Puppet::start(machine.limited(value));
        for (call, code) in
            [("cuInit 0", "802"), ("nvmlInit_v2", "999"), ("nvmlInit", "999"), ("nvmlInitWithFlags 0", "999")]
        {
            assert_eq!(tenant.ask(call), code, "{value}: {call}");
        }
        assert_eq!(tenant.ask("cuCtxCreate_v2 out 0 0"), "802", "{value}");
        let (_, errors) = tenant.end();
        assert_eq!(errors.lines().count(), 1, "{value}: {errors}");
        assert!(errors.contains(value) && errors.contains("CUDA_DEVICE_MEMORY_LIMIT"), "{value}: {errors}");
    }
}

#[test]
fn a_malformed_limit_of_one_gpu_is_named_with_its_variable() {
    let machine = Machine::new();
    let mut tenant = Puppet::start(machine.limited("1g").env("CUDA_DEVICE_MEMORY_LIMIT_0", "1.5g"));
    assert_eq!(tenant.ask("cuInit 0"), "802");
    let (_, errors) = tenant.end();
    assert!(errors.contains("CUDA_DEVICE_MEMORY_LIMIT_0") && errors.contains("1.5g"), "{errors}");
}
