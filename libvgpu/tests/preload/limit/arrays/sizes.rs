//! What arrays are charged, and when they are refused.

use super::*;
use crate::machine::BRANCHES;
use crate::puppet::OUT_OF_MEMORY;

/// Every call that creates an array, for [`PLANE`].
fn calls() -> [String; 5] {
    let format = FLOAT | 1 << 32;
    [
        format!("cuArrayCreate out in={},{format}", 1024 | 1024_u64 << 32),
        format!("cuArrayCreate_v2 out in=1024,1024,{format}"),
        format!("cuArray3DCreate out in={},{},1", 1024 | 1024_u64 << 32, FLOAT << 32),
        PLANE.create(),
        PLANE.create_levels(1),
    ]
}

#[test]
fn of_every_call_the_last_array_that_fits_is_granted_and_the_next_refused() {
    for branch in BRANCHES {
        let machine = Machine::with(branch, 1);
        let limit = (CONTEXT + 2 * PLANE_BYTES).to_string();
        let mut tenant = Puppet::with_context(machine.limited(&limit));
        for call in calls() {
            let destroy =
                if call.contains("Mipmapped") { "cuMipmappedArrayDestroy" } else { "cuArrayDestroy" };
            let arrays = [tenant.does(&call)[0], tenant.does(&call)[0]];
            let granted = machine.truth()["device.0.granted"];
            // A puppet adds `changed` when an output was written to.
            assert_eq!(tenant.ask(&call), OUT_OF_MEMORY.to_string(), "{branch}: {call}");
            let truth = machine.truth();
            assert_eq!((truth["device.0.granted"], truth["device.0.refused"]), (granted, 0), "{call}");
            assert_taken(&machine, 2 * PLANE_BYTES);
            tenant.does(&format!("{destroy} {}", arrays[0]));
            let again = tenant.does(&call)[0];
            for array in [again, arrays[1]] {
                tenant.does(&format!("{destroy} {array}"));
            }
            assert_taken(&machine, 0);
        }
    }
}

/// Arrays of every kind, each a little larger than whole tiles.
const KINDS: [Shape; 11] = [
    Shape { extents: [1001, 0, 0], ..PLANE },
    Shape { extents: [1001, 999, 0], ..PLANE },
    Shape { extents: [101, 99, 33], ..PLANE },
    Shape { extents: [1001, 0, 7], flags: LAYERED, ..PLANE },
    Shape { extents: [101, 99, 7], flags: LAYERED, ..PLANE },
    Shape { extents: [129, 129, 6], flags: CUBEMAP, ..PLANE },
    Shape { extents: [65, 65, 12], flags: CUBEMAP | LAYERED, ..PLANE },
    Shape { extents: [1001, 999, 0], channels: 4, ..PLANE },
    Shape { extents: [1001, 999, 0], format: UINT8, ..PLANE },
    Shape { extents: [1920, 1080, 0], format: NV12, channels: 3, ..PLANE },
    Shape { extents: [1001, 999, 0], format: BC1, channels: 4, ..PLANE },
];

#[test]
fn what_the_driver_makes_of_an_array_is_charged_and_nothing_else() {
    for branch in ["535", "550"] {
        let machine = Machine::with(branch, 1);
        let mut tenant = tenant(&machine);
        for shape in KINDS {
            let array = tenant.does(&shape.create())[0];
            let Books { told, taken } = Books::of(&machine);
            assert!(told == taken && told > CONTEXT, "{told} {taken} {shape:?}");
            destroy(&mut tenant, array);
            if shape.format == NV12 {
                continue;
            }
            let levels = tenant.does(&shape.create_levels(4))[0];
            let Books { told, taken } = Books::of(&machine);
            assert!(told == taken && told > CONTEXT, "{told} {taken} levels of {shape:?}");
            tenant.does(&format!("cuMipmappedArrayDestroy {levels}"));
        }
        assert_taken(&machine, 0);
        assert_eq!(machine.truth()["device.0.allocations"], 0);
    }
}

#[test]
fn a_driver_that_cannot_be_asked_is_charged_no_less_than_it_takes() {
    let machine = Machine::with("470", 1);
    let mut tenant = tenant(&machine);
    for shape in KINDS {
        let array = tenant.does(&shape.create())[0];
        let Books { told, taken } = Books::of(&machine);
        assert!(told >= taken && taken > CONTEXT, "{told} {taken} {shape:?}");
        destroy(&mut tenant, array);
        assert_taken(&machine, 0);
    }
}

#[test]
fn an_array_that_cannot_be_asked_about_is_charged_its_bound() {
    let machine = Machine::new();
    // The array without memory, by which the driver would tell.
    let run = machine.limited("1g").env("VGPU_SIM_FAULTS", "cuArray3DCreate_v2:1=2");
    let mut tenant = Puppet::with_context(run);
    let shape = Shape { extents: [1001, 999, 0], ..PLANE };
    let array = tenant.does(&shape.create())[0];
    let Books { told, taken } = Books::of(&machine);
    assert!(told > taken && told < taken + MIB, "{told} {taken}");
    destroy(&mut tenant, array);
    assert_taken(&machine, 0);
}

#[test]
fn what_the_driver_refuses_is_not_charged() {
    let machine = Machine::new();
    // The second call is the application's.
    let run = machine.limited("1g").env("VGPU_SIM_FAULTS", "cuArray3DCreate_v2:2=719");
    let mut tenant = Puppet::with_context(run);
    assert_eq!(tenant.ask(&PLANE.create()), "719");
    assert_taken(&machine, 0);
}

#[test]
fn arrays_and_other_memory_have_one_limit() {
    let machine = Machine::new();
    let mut tenant = tenant(&machine);
    let left = GIB - CONTEXT;
    let linear = tenant.allocate(left - PLANE_BYTES).unwrap();
    let array = tenant.does(&PLANE.create())[0];
    assert_eq!(tenant.allocate(1), Err(OUT_OF_MEMORY));
    assert_eq!(tenant.ask(&PLANE.create()), OUT_OF_MEMORY.to_string());
    destroy(&mut tenant, array);
    assert_eq!(tenant.allocate(PLANE_BYTES + 1), Err(OUT_OF_MEMORY));
    assert!(tenant.allocate(PLANE_BYTES).is_ok());
    tenant.free(linear);
    assert_taken(&machine, PLANE_BYTES);
}
