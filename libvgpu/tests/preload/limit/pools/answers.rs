//! What stays the driver's to say.

use super::tenant;
use crate::limit::MIB;
use crate::limit::books::Books;
use crate::machine::{CONTEXT, Machine, both_ways};
use crate::puppet::Puppet;

#[test]
fn without_a_limit_pools_do_what_they_do() {
    let script = [
        "cuInit 0",
        "cuCtxCreate_v2 out 0 0",
        "cuMemAllocAsync out 0 0",
        "cuMemAllocAsync null 4096 0",
        "cuMemAllocAsync out 4096 0",
        "cuMemAllocAsync out 1099511627776 0",
        "cuMemFreeAsync 4096 0",
        "cuMemPoolCreate out null",
        "cuMemPoolCreate out in=1,1,0,0",
        "cuMemPoolDestroy 0",
        "cuMemPoolTrimTo 0 0",
        "cuStreamSynchronize 0",
        "cuMemGetInfo_v2 out out",
    ];
    let [native, preloaded] = both_ways(&Machine::new(), &script);
    // Contexts and pools are addresses of this process.
    let same =
        |(native, preloaded): (&String, &String)| native.split(' ').next() == preloaded.split(' ').next();
    assert!(native.iter().zip(&preloaded).all(same), "{native:?} {preloaded:?}");
    assert_eq!(native.last(), preloaded.last());
}

#[test]
fn in_a_slice_wrong_arguments_get_the_drivers_own_answer() {
    let machine = Machine::new();
    let mut native = Puppet::with_context(machine.native());
    let mut tenant = tenant(&machine);
    for line in [
        "cuMemAllocAsync out 0 0",
        "cuMemAllocAsync null 4096 0",
        "cuMemAllocAsync out 4096 77",
        "cuMemAllocFromPoolAsync out 4096 0 0",
        "cuMemAllocFromPoolAsync out 4096 77 0",
        "cuMemFreeAsync 4096 0",
        "cuMemFreeAsync 4096 77",
        "cuMemPoolCreate out null",
        "cuMemPoolCreate null in=1,1,0,0",
        "cuMemPoolCreate out in=1,0x700000001,0,0",
        "cuMemPoolDestroy 0",
        "cuMemPoolTrimTo 77 0",
    ] {
        assert_eq!(native.ask(line), tenant.ask(line), "{line}");
    }
    assert_eq!(Books::of(&machine).told, CONTEXT);
}

#[test]
fn during_a_capture_nothing_is_charged_or_given_back() {
    let machine = Machine::new();
    let mut answers = Vec::new();
    for run in [machine.native(), machine.limited("1g")] {
        let mut puppet = Puppet::with_context(run);
        let (linear, stream) = (puppet.allocate(MIB).unwrap(), puppet.does("cuStreamCreate out 1")[0]);
        let lines = [
            format!("cuStreamBeginCapture_v2 {stream} 0"),
            format!("cuMemAllocAsync out 4096 {stream}"),
            format!("cuMemFreeAsync {linear} {stream}"),
            format!("cuStreamIsCapturing {stream} out"),
        ];
        // Addresses differ between processes.
        answers.push(lines.map(|line| puppet.numbers(&line)[0]));
        if answers.len() == 2 {
            assert_eq!(Books::of(&machine).told, CONTEXT + MIB);
        }
    }
    assert_eq!(answers[0], answers[1]);
    assert_eq!(answers[0][..2], [0, 0]);
}
