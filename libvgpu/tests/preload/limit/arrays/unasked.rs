//! What stays the driver's to say.

use super::*;
use crate::machine::both_ways;

/// Calls that a driver rejects, whatever is free.
fn wrong() -> Vec<String> {
    let shapes = [
        Shape { extents: [0, 1024, 0], ..PLANE },
        Shape { extents: [64, 0, 64], ..PLANE },
        Shape { extents: [1 << 40, 1 << 40, 0], ..PLANE },
        Shape { extents: [131_073, 8, 0], ..PLANE },
        Shape { channels: 3, ..PLANE },
        Shape { channels: 0, ..PLANE },
        Shape { format: 0x7f, ..PLANE },
        Shape { flags: 1 << 31, ..PLANE },
        Shape { flags: SPARSE | DEFERRED, ..PLANE },
        Shape { extents: [64, 32, 6], flags: CUBEMAP, ..PLANE },
    ];
    let mut calls: Vec<_> = shapes.iter().map(Shape::create).collect();
    calls.extend(shapes.iter().map(|shape| shape.create_levels(3)));
    calls.extend(
        [
            "cuArray3DCreate_v2 out null",
            "cuArray3DCreate_v2 null in=64,64,0,4294967328,0",
            "cuArrayCreate_v2 out null",
            "cuMipmappedArrayCreate out null 1",
            "cuArrayDestroy 0",
            "cuArrayDestroy 77",
            "cuMipmappedArrayDestroy 77",
            "cuMemMapArrayAsync null 0 0",
        ]
        .map(str::to_owned),
    );
    calls
}

#[test]
fn in_a_slice_wrong_arguments_get_the_drivers_own_answer() {
    for branch in ["470", "550"] {
        let machine = Machine::with(branch, 1);
        let mut native = Puppet::with_context(machine.native());
        let mut tenant = tenant(&machine);
        for call in wrong() {
            assert_eq!(native.ask(&call), tenant.ask(&call), "{branch}: {call}");
        }
        assert_eq!(Books::of(&machine).told, CONTEXT);
    }
}

#[test]
fn without_a_limit_arrays_do_what_they_do() {
    let levels = PLANE.create_levels(11);
    let mut script = vec!["cuInit 0".to_owned(), PLANE.create(), "cuCtxCreate_v2 out 0 0".to_owned()];
    script.extend([PLANE.create(), levels, "cuMemGetInfo_v2 out out".to_owned()]);
    script.extend(wrong());
    let script: Vec<_> = script.iter().map(String::as_str).collect();
    let [native, preloaded] = both_ways(&Machine::new(), &script);
    assert_eq!(native, preloaded);
}

/// `CU_STREAM_CAPTURE_MODE_*`
#[test]
fn captures_end_as_they_would_without_the_library() {
    for mode in 0..3 {
        let machine = Machine::new();
        let answers = [machine.native(), machine.limited("1g")].map(|run| {
            let mut puppet = Puppet::with_context(run);
            let stream = puppet.does("cuStreamCreate out 1")[0];
            puppet.does(&format!("cuStreamBeginCapture_v2 {stream} {mode}"));
            [PLANE.create(), format!("cuStreamEndCapture {stream} out")]
                .map(|line| puppet.ask(&line).split(' ').next().map(str::to_owned))
        });
        assert_eq!(answers[0], answers[1], "mode {mode}");
    }
}
