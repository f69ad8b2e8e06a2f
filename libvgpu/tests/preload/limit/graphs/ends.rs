//! When memory of graphs comes back.

use super::{CHUNK, Grapher, LEFT, LEFT_FOR_MEMORY, MIB, assert_taken, assert_within_limit};
use crate::limit::books::Books;
use crate::machine::{CONTEXT, Machine};

#[test]
fn a_graph_leaves_its_memory_to_the_next_and_a_trim_gives_it_back() {
    let machine = Machine::new();
    let mut grapher = Grapher::limited(&machine);
    for round in 1..4 {
        let exec = grapher.ready(round * 50 * MIB);
        assert_eq!(grapher.launch(exec), "0");
        grapher.wait();
        grapher.does(&format!("cuGraphExecDestroy {exec}"));
        assert_eq!(machine.truth()["device.0.graphs"], round * 50 * MIB);
    }
    grapher.trim();
    grapher.does("cuCtxSynchronize");
    assert_eq!(Books::of(&machine), Books::both(CONTEXT));
    assert!(grapher.puppet.allocate(LEFT).is_ok());
    assert_within_limit(&machine);
}

#[test]
fn what_a_graph_leaves_allocated_is_charged_until_it_is_freed_by_whichever_call() {
    let machine = Machine::new();
    let mut grapher = Grapher::limited(&machine);
    let stream = grapher.stream;
    let (graph, addresses) = grapher.captured(&[40 * MIB], false);
    let exec = grapher.does(&format!("cuGraphInstantiateWithFlags out {graph} 0"))[0];
    for free in ["cuMemFree_v2".to_owned(), "cuMemFreeAsync".to_owned()] {
        assert_eq!((grapher.launch(exec), grapher.launch(exec)), ("0".into(), "1".into()));
        grapher.trim();
        assert_taken(&machine, 40 * MIB);
        let stream = if free == "cuMemFreeAsync" { format!(" {stream}") } else { String::new() };
        let line = format!("{free} {}{stream}", addresses[0]);
        assert_eq!((grapher.puppet.ask(&line), grapher.puppet.ask(&line)), ("0".into(), "1".into()));
        grapher.trim();
        assert_taken(&machine, 0);
    }
    // By the next launch.
    let auto = {
        grapher.does(&format!("cuGraphExecDestroy {exec}"));
        grapher.does(&format!("cuGraphInstantiateWithFlags out {graph} 1"))[0]
    };
    for _ in 0..3 {
        assert_eq!(grapher.launch(auto), "0");
        assert_taken(&machine, 40 * MIB);
    }
    assert_within_limit(&machine);
}

#[test]
fn a_dead_process_leaves_no_memory_of_graphs() {
    let machine = Machine::new();
    let mut first = Grapher::limited(&machine);
    let exec = first.ready(500 * MIB);
    assert_eq!(first.launch(exec), "0");
    let mut second = Grapher::of(crate::puppet::Puppet::with_context(machine.limited("2g")));
    let large = second.ready(1200 * MIB);
    assert_eq!(second.launch(large), "2");
    first.puppet.kill();
    assert_eq!(second.launch(large), "0");
    assert_taken(&machine, 1200 * MIB);
}

#[test]
fn graphs_of_two_devices_are_charged_on_theirs() {
    let machine = Machine::with("550", 2);
    let mut grapher = Grapher::limited(&machine);
    let pool = grapher.does(&format!("cuMemPoolCreate out in=1,{},0,0", 1 | 1_u64 << 32))[0];
    let stream = grapher.stream;
    grapher.does(&format!("cuStreamBeginCapture_v2 {stream} 0"));
    let here = grapher.does(&format!("cuMemAllocAsync out {} {stream}", 30 * MIB))[0];
    let there = grapher.does(&format!("cuMemAllocFromPoolAsync out {} {pool} {stream}", 1000 * MIB))[0];
    grapher.does(&format!("cuMemFreeAsync {here} {stream}"));
    grapher.does(&format!("cuMemFreeAsync {there} {stream}"));
    let graph = grapher.does(&format!("cuStreamEndCapture {stream} out"))[0];
    let exec = grapher.does(&format!("cuGraphInstantiateWithFlags out {graph} 0"))[0];
    let linear = grapher.puppet.allocate(LEFT_FOR_MEMORY - 20 * MIB).unwrap();
    assert_eq!(grapher.launch(exec), "2", "one of the two has no room");
    assert_eq!(machine.truth()["device.1.graphs"], 0);
    grapher.puppet.free(linear);
    assert_eq!(grapher.launch(exec), "0");
    let truth = machine.truth();
    assert_eq!((truth["device.0.graphs"], truth["device.1.graphs"]), (30 * MIB, 1000 * MIB));
    // It makes way for a pool there, and not for one here.
    grapher.does(&format!("cuMemAllocFromPoolAsync out {} {pool} 0", 32 * MIB));
    let truth = machine.truth();
    assert_eq!((truth["device.0.graphs"], truth["device.1.graphs"]), (30 * MIB, 0));
}

#[test]
fn what_graphs_take_for_themselves_comes_back_with_them() {
    let machine = Machine::new();
    let mut grapher = Grapher::limited(&machine);
    let execs: Vec<_> = (0..100).map(|_| grapher.ready(MIB)).collect();
    // 100 graphs of two nodes at 32 KiB each.
    assert_eq!(Books::of(&machine).told, CONTEXT + 4 * CHUNK);
    for exec in execs {
        grapher.does(&format!("cuGraphExecDestroy {exec}"));
    }
    assert!(grapher.puppet.allocate(LEFT).is_ok());
    assert_eq!(Books::of(&machine), Books::both(CONTEXT + LEFT));
}
