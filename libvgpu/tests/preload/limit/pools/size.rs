//! How much a pool may take.

use super::{
    LEFT, STEP, allocate, allocate_from, assert_within_limit, create_pool, fill, free, keep_all, tenant,
};
use crate::limit::books::Books;
use crate::limit::{GIB, MIB};
use crate::machine::{CONTEXT, Machine};
use crate::puppet::OUT_OF_MEMORY;

#[test]
fn what_a_pool_takes_is_charged_and_not_what_is_asked_of_it() {
    let machine = Machine::new();
    let mut tenant = tenant(&machine);
    allocate(&mut tenant, 1).unwrap();
    assert_eq!(Books::of(&machine), Books::both(CONTEXT + STEP));
    assert_eq!(tenant.memory().free, LEFT - STEP);
    // These fit into what has been taken.
    for _ in 0..7 {
        allocate(&mut tenant, 4 * MIB).unwrap();
    }
    assert_eq!(Books::of(&machine), Books::both(CONTEXT + STEP));
    allocate(&mut tenant, 40 * MIB).unwrap();
    assert_eq!(Books::of(&machine), Books::both(CONTEXT + STEP + 40 * MIB));
}

#[test]
fn the_last_step_that_fits_is_granted_and_the_next_refused_with_outputs_untouched() {
    let machine = Machine::new();
    let mut tenant = tenant(&machine);
    assert_eq!(fill(&mut tenant).len() as u64, LEFT / STEP);
    for bytes in [1, MIB, STEP, 64 * MIB, 1 << 40, u64::MAX] {
        // A puppet adds `changed` when an output was written to.
        assert_eq!(tenant.ask(&format!("cuMemAllocAsync out {bytes} 0")), "2");
        assert_eq!(tenant.ask(&format!("cuMemAllocAsync_ptsz out {bytes} 0")), "2");
    }
    assert_within_limit(&machine);
    // What is left is less than a step and can be had otherwise.
    assert!(tenant.allocate(LEFT % STEP).is_ok());
    assert_eq!(tenant.allocate(1), Err(OUT_OF_MEMORY));
    assert_eq!(Books::of(&machine), Books::both(GIB));
}

#[test]
fn a_request_for_all_that_is_left_is_granted_although_a_bound_for_it_does_not_fit() {
    let machine = Machine::new();
    let mut tenant = tenant(&machine);
    assert_eq!(allocate(&mut tenant, LEFT + 1), Err(OUT_OF_MEMORY));
    assert!(allocate(&mut tenant, LEFT).is_ok());
    assert_eq!(Books::of(&machine), Books::both(GIB));
    assert_eq!(allocate(&mut tenant, 1), Err(OUT_OF_MEMORY));
    assert_within_limit(&machine);
}

#[test]
fn a_pool_whose_free_memory_is_in_pieces_grows_and_is_put_back() {
    let machine = Machine::new();
    let mut tenant = tenant(&machine);
    keep_all(&mut tenant);
    tenant.allocate(LEFT - 2 * STEP).unwrap();
    let quarters = [(); 4].map(|()| allocate(&mut tenant, STEP / 2).unwrap());
    // Half of each step is free: enough, but nowhere in one piece.
    free(&mut tenant, quarters[0]);
    free(&mut tenant, quarters[2]);
    tenant.does("cuCtxSynchronize");
    for _ in 0..3 {
        assert_eq!(tenant.ask(&format!("cuMemAllocAsync out {STEP} 0")), "2");
        assert_eq!(Books::of(&machine), Books::both(GIB));
    }
    assert!(allocate(&mut tenant, STEP / 2).is_ok());
    let truth = machine.truth();
    assert!(truth["device.0.resident_peak"] <= GIB + STEP, "{truth:?}");
}

#[test]
fn less_than_a_step_is_not_tried() {
    let machine = Machine::new();
    let mut tenant = tenant(&machine);
    tenant.allocate(LEFT - 4 * MIB).unwrap();
    assert_eq!(tenant.ask("cuMemAllocAsync out 1048576 0"), "2");
    assert_within_limit(&machine);
}

#[test]
fn a_full_slice_goes_on_using_what_its_pool_holds() {
    let machine = Machine::new();
    let mut tenant = tenant(&machine);
    keep_all(&mut tenant);
    let mut held = fill(&mut tenant);
    for _ in 0..3 {
        free(&mut tenant, held.pop().unwrap());
        tenant.does("cuCtxSynchronize");
        assert_eq!(tenant.memory().free, LEFT % STEP, "the pool has kept it");
        held.push(allocate(&mut tenant, 20 * MIB).unwrap());
    }
    assert_within_limit(&machine);
}

#[test]
fn a_large_piece_that_a_pool_does_not_use_makes_way_for_a_smaller_request() {
    let machine = Machine::new();
    let mut tenant = tenant(&machine);
    keep_all(&mut tenant);
    let piece = allocate(&mut tenant, LEFT - 10 * MIB).unwrap();
    free(&mut tenant, piece);
    tenant.does("cuCtxSynchronize");
    assert!(tenant.allocate(20 * MIB).is_ok());
    assert_eq!(Books::of(&machine), Books::both(CONTEXT + 20 * MIB));
}

#[test]
fn what_pools_hold_and_do_not_use_makes_way_for_other_memory() {
    let machine = Machine::new();
    let mut tenant = tenant(&machine);
    let pool = keep_all(&mut tenant);
    for address in fill(&mut tenant) {
        free(&mut tenant, address);
    }
    tenant.does("cuCtxSynchronize");
    assert_eq!(Books::of(&machine), Books::both(CONTEXT + LEFT / STEP * STEP));
    let linear = tenant.allocate(LEFT - 2 * STEP).unwrap();
    assert_within_limit(&machine);
    tenant.free(linear);
    // And for another pool.
    for address in fill(&mut tenant) {
        free(&mut tenant, address);
    }
    let other = create_pool(&mut tenant, 0, 0);
    assert!(allocate_from(&mut tenant, other, LEFT - STEP).is_ok());
    assert_within_limit(&machine);
    tenant.does(&format!("cuMemPoolTrimTo {pool} 0"));
    assert_eq!(Books::of(&machine), Books::both(CONTEXT + LEFT - STEP));
}
