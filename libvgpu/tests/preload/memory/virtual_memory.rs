//! Physical memory and the addresses where it is mapped, in one process.

use super::MIB;
use super::tenant::{DESCRIPTOR, DEVICE, HOST_NUMA, LIMIT, Tenant, requested};
use crate::machine::{BRANCHES, Machine};

#[test]
fn the_last_byte_that_fits_is_granted_and_the_next_refused_without_the_driver() {
    for branch in BRANCHES {
        let machine = Machine::with(branch, 1);
        let mut tenant = Tenant::limited(&machine);
        for types in [0, DESCRIPTOR] {
            let all = tenant.create_at(DEVICE, 0, types, LIMIT);
            let handle = all.strip_prefix("0 ").unwrap_or_else(|| panic!("{branch}: {all}"));
            assert_eq!(tenant.create_at(DEVICE, 0, types, 2 * MIB), "2", "{branch}");
            assert_eq!(requested(&machine), LIMIT, "{branch}");
            tenant.release(handle.parse().unwrap());
            assert_eq!(requested(&machine), 0, "{branch}");
        }
        assert_eq!(machine.truth()["device.0.refused"], 0, "{branch}: the driver was asked");
        tenant.assert_charged(0);
    }
}

#[test]
fn the_driver_s_own_answers_are_the_program_s() {
    for branch in BRANCHES {
        let machine = Machine::with(branch, 1);
        let mut both = [machine.native(), machine.limited(&LIMIT.to_string())].map(Tenant::new);
        let answers = both.each_mut().map(|tenant| {
            let mut answers = vec![
                tenant.create_at(DEVICE, 0, 0, 0),
                tenant.create_at(DEVICE, 0, 0, 5),
                tenant.create_at(DEVICE, 7, 0, 2 * MIB),
                tenant.create_at(DEVICE, 0, 8, 2 * MIB),
                tenant.create_at(2, 0, 0, 3 * MIB),
                tenant.create_at(4, 0, 0, 2 * MIB),
            ];
            for line in [
                "cuMemCreate out 2097152 null 0",
                "cuMemCreate null 2097152 in=1,1 0",
                "cuMemCreate out 2097152 in=1,1 7",
                "cuMemGetAllocationGranularity out in=1,1 0",
                "cuMemGetAllocationGranularity out in=1,1 9",
                "cuMemRelease 77",
                "cuMemMap 4096 2097152 0 77 0",
                "cuMemUnmap 4096 2097152",
                "cuMemRetainAllocationHandle out 4096",
                "cuMemExportToShareableHandle out 77 1 0",
                "cuMemImportFromShareableHandle out 99 1",
                "cuMemImportFromShareableHandle out -1 1",
                "cuMulticastCreate out in=1",
            ] {
                answers.push(tenant.0.ask(line));
            }
            answers
        });
        assert_eq!(answers[0], answers[1], "{branch}");
        both[1].assert_charged(0);
    }
}

#[test]
fn mapped_memory_is_used_like_any_other_and_costs_what_was_created() {
    let machine = Machine::new();
    let mut tenant = Tenant::new(machine.limited("2g"));
    tenant.does("cuCtxCreate_v2 out 0 0".to_owned());
    let free = tenant.0.memory().free;
    // Addresses cost nothing: as much as PyTorch reserves for a segment.
    let start = tenant.reserve(90 << 30);
    for step in 0..5 {
        let handle = tenant.create(20 * MIB);
        tenant.map(start + step * 20 * MIB, 20 * MIB, handle);
        tenant.release(handle);
    }
    tenant.open(start, 100 * MIB);
    assert_eq!(tenant.0.memory().free, free - 100 * MIB);
    let filled = tenant.0.ask(&format!("fill {} {} 7", start + 10 * MIB, 60 * MIB));
    assert_eq!(filled, format!("0 0 {}", 60 * MIB));
    tenant.unmap(start, 100 * MIB);
    assert_eq!((tenant.0.memory().free, requested(&machine)), (free, 0));
    tenant.does(format!("cuMemAddressFree {start} {}", 90_u64 << 30));
}

#[test]
fn a_mapping_of_a_part_ends_where_it_ends() {
    let machine = Machine::new();
    let mut tenant = Tenant::limited(&machine);
    let start = tenant.reserve(40 * MIB);
    let [half, other] = [tenant.create(40 * MIB), tenant.create(20 * MIB)];
    tenant.map(start, 20 * MIB, half);
    assert_eq!(tenant.code(format!("cuMemRetainAllocationHandle out {}", start + 20 * MIB)), 1);
    tenant.map(start + 20 * MIB, 20 * MIB, other);
    let retained = tenant.does(format!("cuMemRetainAllocationHandle out {}", start + 30 * MIB))[0];
    assert_eq!(retained, other);
    for handle in [half, other, other] {
        tenant.release(handle);
    }
    tenant.assert_charged(60 * MIB);
    tenant.unmap(start + 20 * MIB, 20 * MIB);
    tenant.assert_charged(40 * MIB);
    tenant.unmap(start, 20 * MIB);
    tenant.assert_charged(0);
}

#[test]
fn memory_outlives_the_contexts_in_which_it_was_made() {
    let machine = Machine::new();
    let mut tenant = Tenant::new(machine.limited("2g"));
    let context = tenant.does("cuCtxCreate_v2 out 0 0".to_owned())[0];
    let free = tenant.0.memory().free;
    let handle = tenant.create(100 * MIB);
    tenant.does(format!("cuCtxDestroy_v2 {context}"));
    assert_eq!(requested(&machine), 100 * MIB);
    tenant.does("cuCtxCreate_v2 out 0 0".to_owned());
    assert_eq!(tenant.0.memory().free, free - 100 * MIB);
    tenant.release(handle);
    assert_eq!(tenant.0.memory().free, free);
}

#[test]
fn memory_of_the_host_costs_nothing() {
    let machine = Machine::new();
    let mut tenant = Tenant::limited(&machine);
    let answer = tenant.create_at(HOST_NUMA, 0, 0, 10 * LIMIT);
    assert!(answer.starts_with("0 "), "{answer}");
    tenant.assert_charged(0);
}
