//! When arrays come back.

use super::*;

#[test]
fn a_context_takes_its_arrays_along_and_no_others() {
    let machine = Machine::new();
    let mut tenant = tenant(&machine);
    let kept = tenant.does(&PLANE.create())[0];
    for end in ["cuCtxDestroy_v2", "cuDevicePrimaryCtxReset_v2"] {
        let is_primary = end.contains("Primary");
        let create = if is_primary { "cuDevicePrimaryCtxRetain out 0" } else { "cuCtxCreate_v2 out 0 0" };
        let first = tenant.does("cuCtxGetCurrent out")[0];
        let context = tenant.does(create)[0];
        tenant.does(&format!("cuCtxSetCurrent {context}"));
        let array = tenant.does(&PLANE.create())[0];
        tenant.does(&PLANE.create_levels(1));
        assert_taken(&machine, CONTEXT + 3 * PLANE_BYTES);
        tenant.does(&format!("{end} {}", if is_primary { 0 } else { context }));
        tenant.does(&format!("cuCtxSetCurrent {first}"));
        assert_taken(&machine, PLANE_BYTES);
        // It is gone, and nothing is given back for it again.
        assert_eq!(tenant.ask(&format!("cuArrayDestroy {array}")), "400");
        assert_taken(&machine, PLANE_BYTES);
    }
    destroy(&mut tenant, kept);
    assert_taken(&machine, 0);
}

#[test]
fn a_destruction_that_fails_gives_nothing_back() {
    let machine = Machine::new();
    // `CUDA_ERROR_ARRAY_IS_MAPPED`. The first destruction is that of an array by which the driver tells.
    let run = machine.limited("1g").env("VGPU_SIM_FAULTS", "cuArrayDestroy:2=207");
    let mut tenant = Puppet::with_context(run);
    let array = tenant.does(&PLANE.create())[0];
    assert_eq!(tenant.ask(&format!("cuArrayDestroy {array}")), "207");
    assert_taken(&machine, PLANE_BYTES);
    destroy(&mut tenant, array);
    assert_eq!(tenant.ask(&format!("cuArrayDestroy {array}")), "400");
    assert_taken(&machine, 0);
}

#[test]
fn a_process_that_is_killed_leaves_no_array() {
    let machine = Machine::new();
    let mut first = tenant(&machine);
    first.does(&Shape { extents: [8192, 2048, 0], ..PLANE }.create());
    assert_taken(&machine, 64 * MIB);
    first.kill();
    let mut second = tenant(&machine);
    assert!(second.allocate(GIB - CONTEXT).is_ok());
    assert_taken(&machine, GIB - CONTEXT);
}
