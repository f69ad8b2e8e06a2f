//! Physical memory that several processes hold: who has created it pays.

use super::MIB;
use super::tenant::{LIMIT, Tenant, pass, requested};
use crate::machine::Machine;

const SIZE: u64 = 40 * MIB;

/// Memory that one process of a container has created, and of which another has a descriptor.
struct Passed {
    one: Tenant,
    other: Tenant,
    handle: u64,
    /// The creator's descriptor, and the other's.
    descriptor: u64,
    received: u64,
}

fn passed(machine: &Machine) -> Passed {
    let [mut one, mut other] = [0; 2].map(|_| Tenant::limited(machine));
    let handle = one.create(SIZE);
    let descriptor = one.export(handle);
    let received = pass(machine, &mut one, descriptor, &mut other);
    Passed { one, other, handle, descriptor, received }
}

#[test]
fn an_importer_pays_nothing_and_reads_what_the_other_has_written() {
    let machine = Machine::new();
    let [mut one, mut other] = [0; 2].map(|_| Tenant::new(machine.limited("2g")));
    for tenant in [&mut one, &mut other] {
        tenant.does("cuCtxCreate_v2 out 0 0".to_owned());
    }
    let handle = one.create(SIZE);
    let descriptor = one.export(handle);
    let free = other.0.memory().free;
    let received = pass(&machine, &mut one, descriptor, &mut other);
    let import = other.import(received);
    let places = [(&mut one, handle), (&mut other, import)].map(|(tenant, handle)| {
        let address = tenant.reserve(SIZE);
        tenant.map(address, SIZE, handle);
        tenant.open(address, SIZE);
        address
    });
    assert_eq!(one.0.ask(&format!("fill {} {SIZE} 7", places[0])), format!("0 0 {SIZE}"));
    let read = other.0.ask(&format!("cuMemcpyDtoH_v2 out*2 {} 16", places[1] + SIZE - 16));
    let sevens = 0x0707_0707_0707_0707_u64;
    assert_eq!(read, format!("0 {sevens} {sevens}"));
    assert_eq!(other.0.memory().free, free);
    assert_eq!(machine.truth()["device.0.requested"], SIZE);
}

#[test]
fn what_others_hold_stays_charged_when_its_creator_has_let_go_of_it() {
    let machine = Machine::new();
    let Passed { mut one, mut other, handle, descriptor, received } = passed(&machine);
    one.close(descriptor);
    let import = other.import(received);
    other.close(received);
    one.release(handle);
    assert_eq!(requested(&machine), SIZE);
    one.assert_charged(SIZE);
    other.assert_charged(SIZE);
    let address = other.reserve(SIZE);
    other.map(address, SIZE, import);
    other.release(import);
    one.assert_charged(SIZE);
    other.unmap(address, SIZE);
    assert_eq!(requested(&machine), 0);
    one.assert_charged(0);
    other.assert_charged(0);
}

#[test]
fn a_descriptor_that_somebody_has_keeps_the_charge() {
    let machine = Machine::new();
    let Passed { mut one, mut other, handle, descriptor, received } = passed(&machine);
    one.release(handle);
    one.close(descriptor);
    one.assert_charged(SIZE);
    assert_eq!(requested(&machine), SIZE);
    other.close(received);
    assert_eq!(requested(&machine), 0);
    one.assert_charged(0);
}

#[test]
fn what_nobody_has_got_hold_of_ends_with_its_creator_s_last_reference() {
    let machine = Machine::new();
    let mut tenant = Tenant::limited(&machine);
    for _ in 0..3 {
        let handle = tenant.create(LIMIT);
        let descriptor = tenant.export(handle);
        tenant.close(descriptor);
        tenant.release(handle);
        assert_eq!(requested(&machine), 0);
    }
    tenant.assert_charged(0);
}

#[test]
fn an_importer_that_is_killed_lets_go() {
    let machine = Machine::new();
    let Passed { mut one, mut other, handle, descriptor, received } = passed(&machine);
    other.import(received);
    one.close(descriptor);
    one.release(handle);
    one.assert_charged(SIZE);
    other.0.kill();
    assert_eq!(requested(&machine), 0);
    one.assert_charged(0);
}

#[test]
fn a_creator_that_dies_is_charged_no_more() {
    let machine = Machine::new();
    let Passed { one, mut other, received, .. } = passed(&machine);
    other.import(received);
    one.0.kill();
    // What it has left behind is nobody's: a known gap.
    assert_eq!(requested(&machine), SIZE);
    other.assert_charged(0);
}

#[test]
fn an_export_that_comes_back_is_the_same_memory() {
    let machine = Machine::new();
    let mut tenant = Tenant::limited(&machine);
    let handle = tenant.create(SIZE);
    let descriptor = tenant.export(handle);
    let back = tenant.import(descriptor);
    assert_ne!(back, handle);
    tenant.assert_charged(SIZE);
    tenant.release(handle);
    tenant.assert_charged(SIZE);
    tenant.release(back);
    // The descriptor still keeps it; from there it comes back once more.
    tenant.assert_charged(SIZE);
    let again = tenant.import(descriptor);
    tenant.close(descriptor);
    tenant.assert_charged(SIZE);
    tenant.release(again);
    assert_eq!(requested(&machine), 0);
    tenant.assert_charged(0);
}

#[test]
fn descriptors_that_the_application_closes_wholesale_are_taken_to_be_elsewhere() {
    let machine = Machine::new();
    let mut tenant = Tenant::limited(&machine);
    let handle = tenant.create(SIZE);
    tenant.export(handle);
    // Ours are among them, and whether anybody has a copy of the descriptor cannot be told any more.
    for number in 512..520 {
        let _ = tenant.0.ask(&format!("close {number}"));
    }
    tenant.release(handle);
    tenant.assert_charged(SIZE);
}

#[test]
fn memory_is_passed_between_containers_and_charged_where_it_was_created() {
    let machine = Machine::new();
    let mut one = Tenant::limited(&machine);
    let elsewhere = machine
        .preloaded()
        .env("CUDA_DEVICE_MEMORY_LIMIT", LIMIT.to_string())
        .env("CUDA_DEVICE_MEMORY_SHARED_CACHE", machine.path("elsewhere"));
    let mut other = Tenant::new(elsewhere);
    let handle = one.create(LIMIT);
    let descriptor = one.export(handle);
    let received = pass(&machine, &mut one, descriptor, &mut other);
    other.import(received);
    one.assert_charged(LIMIT);
    other.assert_charged(0);
}
