//! How much a graph may take.

use super::{CHUNK, Grapher, LEFT, LEFT_FOR_MEMORY, MIB, assert_taken, assert_within_limit};
use crate::machine::Machine;
use crate::puppet::OUT_OF_MEMORY;

#[test]
fn memory_of_a_graph_is_charged_at_its_launch_and_not_before() {
    let machine = Machine::new();
    let mut grapher = Grapher::limited(&machine);
    let (graph, _) = grapher.captured(&[100 * MIB, MIB], true);
    assert_taken(&machine, 0);
    let exec = grapher.does(&format!("cuGraphInstantiateWithFlags out {graph} 0"))[0];
    assert_taken(&machine, 0);
    for _ in 0..3 {
        assert_eq!(grapher.launch(exec), "0");
        assert_taken(&machine, 102 * MIB);
    }
    grapher.wait();
    assert_taken(&machine, 102 * MIB);
}

#[test]
fn the_last_graph_that_fits_is_launched_and_the_next_one_is_not() {
    let machine = Machine::new();
    let mut grapher = Grapher::limited(&machine);
    let [over, all, other] =
        [LEFT_FOR_MEMORY + 1, LEFT_FOR_MEMORY, 10 * MIB].map(|bytes| grapher.ready(bytes));
    assert_eq!(grapher.launch(over), "2");
    assert_taken(&machine, 0);
    assert_eq!(grapher.launch(all), "0");
    assert_eq!(grapher.puppet.memory().free, 0);
    assert_taken(&machine, LEFT_FOR_MEMORY);
    // Launches in one stream share what they need.
    assert_eq!((grapher.launch(other), grapher.launch(all)), ("0".into(), "0".into()));
    assert_within_limit(&machine);
}

#[test]
fn what_does_not_fit_is_refused_until_there_is_room() {
    let machine = Machine::new();
    let mut grapher = Grapher::limited(&machine);
    let exec = grapher.ready(100 * MIB);
    let linear = grapher.puppet.allocate(LEFT_FOR_MEMORY - 98 * MIB).unwrap();
    for line in ["cuGraphLaunch", "cuGraphUpload", "cuGraphLaunch_ptsz", "cuGraphUpload_ptsz"] {
        let stream = grapher.stream;
        assert_eq!(grapher.puppet.ask(&format!("{line} {exec} {stream}")), "2", "{line}");
    }
    assert_taken(&machine, 0);
    grapher.puppet.free(linear);
    grapher.puppet.allocate(LEFT_FOR_MEMORY - 100 * MIB).unwrap();
    assert_eq!(grapher.launch(exec), "0");
    assert_taken(&machine, 100 * MIB);
    assert_within_limit(&machine);
}

#[test]
fn a_full_slice_goes_on_launching_what_it_has_launched() {
    let machine = Machine::new();
    let mut grapher = Grapher::limited(&machine);
    let exec = grapher.ready(100 * MIB);
    assert_eq!(grapher.launch(exec), "0");
    grapher.puppet.allocate(LEFT_FOR_MEMORY - 100 * MIB).unwrap();
    for _ in 0..10 {
        assert_eq!(grapher.launch(exec), "0");
    }
    grapher.wait();
    assert_taken(&machine, 100 * MIB);
    assert_within_limit(&machine);
}

#[test]
fn what_idle_graphs_hold_makes_way_for_other_memory_and_for_graphs_in_other_streams() {
    let machine = Machine::new();
    let mut grapher = Grapher::limited(&machine);
    let exec = grapher.ready(500 * MIB);
    assert_eq!(grapher.launch(exec), "0");
    grapher.wait();
    let linear = grapher.puppet.allocate(LEFT_FOR_MEMORY - 10 * MIB).unwrap();
    assert_taken(&machine, 0);
    assert_eq!(grapher.launch(exec), "2");
    grapher.puppet.free(linear);
    assert_eq!(grapher.launch(exec), "0");
    grapher.wait();
    grapher.stream = grapher.does("cuStreamCreate out 1")[0];
    let other = grapher.ready(500 * MIB);
    assert_eq!(grapher.launch(other), "0");
    assert_taken(&machine, 500 * MIB);
    // And pools make way for graphs.
    let address = grapher.does(&format!("cuMemAllocAsync out {} 0", 60 * MIB))[0];
    let pool = grapher.does("cuDeviceGetDefaultMemPool out 0")[0];
    grapher.does(&format!("cuMemPoolSetAttribute {pool} 4 in=0xffffffffffffffff"));
    grapher.does(&format!("cuMemFreeAsync {address} 0"));
    grapher.does("cuCtxSynchronize");
    let large = grapher.ready(LEFT_FOR_MEMORY);
    assert_eq!(grapher.launch(large), "0");
    assert_within_limit(&machine);
}

#[test]
fn nothing_is_made_ready_while_the_slice_is_over_its_limit() {
    let machine = Machine::new();
    let mut grapher = Grapher::limited(&machine);
    let (graph, _) = grapher.captured(&[MIB], true);
    grapher.puppet.allocate(LEFT_FOR_MEMORY + CHUNK).unwrap();
    // What a graph takes for itself is only seen afterwards: one goes over the limit, the next is refused.
    grapher.does(&format!("cuGraphInstantiateWithFlags out {graph} 0"));
    let (graph, _) = grapher.captured(&[MIB], true);
    assert_eq!(grapher.puppet.ask(&format!("cuGraphInstantiateWithFlags out {graph} 0")), "2");
    assert_eq!(grapher.puppet.allocate(1), Err(OUT_OF_MEMORY));
}

#[test]
fn an_instantiation_that_uploads_takes_the_memory_or_makes_no_graph() {
    let machine = Machine::new();
    let mut grapher = Grapher::limited(&machine);
    let stream = grapher.stream;
    let upload = |graph| format!("cuGraphInstantiateWithParams out {graph} in=2,{stream},0,0");
    let (over, _) = grapher.captured(&[LEFT + 1], true);
    assert_eq!(grapher.puppet.ask(&upload(over)), "2");
    assert_taken(&machine, 0);
    let (fits, _) = grapher.captured(&[LEFT_FOR_MEMORY], true);
    let exec = grapher.does(&upload(fits))[0];
    assert_taken(&machine, LEFT_FOR_MEMORY);
    assert_eq!(grapher.launch(exec), "0");
    assert_within_limit(&machine);
}
