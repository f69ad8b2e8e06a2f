//! What costs nothing: views of arrays, and arrays without memory.

use super::*;

#[test]
fn planes_levels_and_objects_cost_nothing_and_are_nothing_to_give_back() {
    let machine = Machine::new();
    let mut tenant = tenant(&machine);
    let picture = Shape { extents: [1024, 1024, 0], format: NV12, channels: 3, flags: 0 };
    let picture = tenant.does(&picture.create())[0];
    let levels = tenant.does(&PLANE.create_levels(11))[0];
    let charged = Books::of(&machine);
    assert_eq!(charged.told, charged.taken);
    let plane = tenant.does(&format!("cuArrayGetPlane out {picture} 1"))[0];
    let level = tenant.does(&format!("cuMipmappedArrayGetLevel out {levels} 3"))[0];
    let texture = tenant.does(&format!("cuTexObjectCreate out in=0,{level} in=0 null"))[0];
    for view in [plane, level] {
        assert_eq!(tenant.ask(&format!("cuArrayDestroy {view}")), "400");
    }
    tenant.does(&format!("cuTexObjectDestroy {texture}"));
    assert_eq!(Books::of(&machine), charged);
    tenant.does(&format!("cuMipmappedArrayDestroy {levels}"));
    destroy(&mut tenant, picture);
    assert_taken(&machine, 0);
}

#[test]
fn an_array_without_memory_costs_nothing_however_large() {
    let machine = Machine::new();
    let mut tenant = tenant(&machine);
    for flag in [SPARSE, DEFERRED] {
        // 64 GiB.
        let shape = Shape { extents: [65_536, 65_536, 0], channels: 4, flags: flag, ..PLANE };
        let array = tenant.does(&shape.create())[0];
        let small = Shape { extents: [16_384, 16_384, 0], ..shape };
        let levels = tenant.does(&small.create_levels(20))[0];
        assert_taken(&machine, 0);
        destroy(&mut tenant, array);
        tenant.does(&format!("cuMipmappedArrayDestroy {levels}"));
        assert_taken(&machine, 0);
    }
}
