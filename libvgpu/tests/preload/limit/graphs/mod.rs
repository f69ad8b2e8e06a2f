//! Graphs that allocate: what the driver takes for them is charged at the launch, and stays charged until a trim.

mod answers;
mod captures;
mod ends;
mod races;
mod size;

use super::{GIB, MIB};
use crate::machine::{CONTEXT, Machine};
use crate::puppet::Puppet;

/// What a tenant of 1 GiB with a context has left.
const LEFT: u64 = GIB - CONTEXT;

/// What small things of a context share.
const CHUNK: u64 = 2 * MIB;

/// What a tenant of 1 GiB has left for the memory of graphs, which take a piece of the device for themselves.
const LEFT_FOR_MEMORY: u64 = LEFT - CHUNK;

/// `CU_STREAM_CAPTURE_MODE_GLOBAL`, which is what programs use.
const GLOBAL: u64 = 0;

/// A process that makes graphs.
struct Grapher {
    puppet: Puppet,
    stream: u64,
}

impl Grapher {
    fn limited(machine: &Machine) -> Self {
        Self::of(Puppet::with_context(machine.limited("1g")))
    }

    fn of(mut puppet: Puppet) -> Self {
        let stream = puppet.does("cuStreamCreate out 1")[0];
        Self { puppet, stream }
    }

    /// Captures allocations of these sizes, which are freed in the graph if `frees`; the graph and the addresses.
    fn captured(&mut self, sizes: &[u64], frees: bool) -> (u64, Vec<u64>) {
        let stream = self.stream;
        self.does(&format!("cuStreamBeginCapture_v2 {stream} {GLOBAL}"));
        let allocate = |bytes: &u64| self.puppet.does(&format!("cuMemAllocAsync out {bytes} {stream}"))[0];
        let addresses: Vec<_> = sizes.iter().map(allocate).collect();
        for address in addresses.iter().filter(|_| frees) {
            self.puppet.does(&format!("cuMemFreeAsync {address} {stream}"));
        }
        (self.does(&format!("cuStreamEndCapture {stream} out"))[0], addresses)
    }

    /// A graph that allocates so much and frees it, ready for launching.
    fn ready(&mut self, bytes: u64) -> u64 {
        let (graph, _) = self.captured(&[bytes], true);
        self.does(&format!("cuGraphInstantiateWithFlags out {graph} 0"))[0]
    }

    fn launch(&mut self, exec: u64) -> String {
        let stream = self.stream;
        self.puppet.ask(&format!("cuGraphLaunch {exec} {stream}"))
    }

    fn wait(&mut self) {
        let stream = self.stream;
        self.does(&format!("cuStreamSynchronize {stream}"));
    }

    fn trim(&mut self) {
        self.wait();
        self.does("cuDeviceGraphMemTrim 0");
    }

    fn does(&mut self, line: &str) -> Vec<u64> {
        self.puppet.does(line)
    }
}

/// What is told is what the device has given, and what it has given to graphs is this.
fn assert_taken(machine: &Machine, graphs: u64) {
    assert_eq!(machine.truth()["device.0.graphs"], graphs);
    super::books::agreed(machine);
}

/// The driver never gave more than 1 GiB, and never saw a request that it had to refuse.
fn assert_within_limit(machine: &Machine) {
    super::books::assert_within(machine, GIB);
}
