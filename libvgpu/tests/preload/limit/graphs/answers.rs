//! What stays the driver's to say.

use super::{Grapher, MIB};
use crate::machine::Machine;
use crate::puppet::Puppet;

/// Makes, launches and ends graphs with memory, well and badly; the first number of each answer, its code.
fn play(puppet: Puppet) -> Vec<u64> {
    let mut grapher = Grapher::of(puppet);
    let stream = grapher.stream;
    let (graph, addresses) = grapher.captured(&[3 * MIB], false);
    let exec = grapher.does(&format!("cuGraphInstantiateWithFlags out {graph} 0"))[0];
    let lines = [
        format!("cuGraphInstantiateWithFlags out {graph} 0"),
        format!("cuGraphInstantiateWithFlags null {graph} 0"),
        "cuGraphInstantiateWithFlags out 77 0".to_owned(),
        format!("cuGraphInstantiateWithParams out {graph} null"),
        "cuGraphInstantiate_v2 out 77 null null 0".to_owned(),
        "cuGraphLaunch 77 0".to_owned(),
        format!("cuGraphLaunch {exec} 77"),
        format!("cuGraphUpload {exec} 77"),
        format!("cuGraphUpload {exec} {stream}"),
        format!("cuGraphLaunch {exec} {stream}"),
        format!("cuGraphLaunch {exec} {stream}"),
        format!("cuMemFreeAsync {} {stream}", addresses[0]),
        format!("cuMemFree_v2 {}", addresses[0]),
        "cuGraphExecUpdate_v2 77 77 out*3".to_owned(),
        "cuGraphExecDestroy 77".to_owned(),
        format!("cuGraphExecDestroy {exec}"),
        format!("cuGraphExecDestroy {exec}"),
        format!("cuGraphLaunch {exec} {stream}"),
        "cuDeviceGraphMemTrim 7".to_owned(),
        "cuDeviceGraphMemTrim 0".to_owned(),
        format!("cuStreamSynchronize {stream}"),
        "cuMemGetInfo_v2 null null".to_owned(),
    ];
    lines.iter().map(|line| grapher.puppet.numbers(line)[0]).collect()
}

#[test]
fn without_a_limit_and_with_one_graphs_do_what_they_do() {
    let machine = Machine::new();
    let native = play(Puppet::with_context(machine.native()));
    assert_eq!(play(Puppet::with_context(machine.preloaded())), native);
    assert_eq!(play(Puppet::with_context(machine.limited("1g"))), native);
}
