//! Graphs that allocate: launched in some streams, with memory that they free, leave to others, or free at the next launch.

use super::{Attempt, Kind, any};
use crate::medley::MIB;
use crate::medley::player::Thread;
use crate::medley::random::Random;
use crate::puppet::OUT_OF_MEMORY;

/// What the simulated driver gives graphs memory in.
const CHUNK: u64 = 2 * MIB;

/// `CUDA_GRAPH_INSTANTIATE_FLAG_*`
const FREES_ON_LAUNCH: u64 = 1;
const UPLOADS: u64 = 2;

/// The most graphs of a process.
const MANY: usize = 12;

pub(super) struct Graphs {
    streams: Vec<u64>,
    ready: Vec<Exec>,
    /// What ended graphs have left allocated.
    left: Vec<Piece>,
}

/// An allocation of a graph.
#[derive(Clone, Copy)]
struct Piece {
    address: u64,
    bytes: u64,
}

/// A graph that can be launched.
struct Exec {
    handle: u64,
    /// What its allocations need together.
    bytes: u64,
    frees_on_launch: bool,
    /// What it does not free itself.
    leaves: Vec<Piece>,
    /// Those that the last launch has left and nobody has freed.
    left: Vec<Piece>,
}

impl Graphs {
    pub(super) fn new(thread: &mut Thread<'_>) -> Self {
        let streams = [(); 3].map(|()| thread.does("cuStreamCreate out 1")[0]).to_vec();
        Self { streams, ready: Vec::new(), left: Vec::new() }
    }

    fn stream(&self, random: &mut Random) -> u64 {
        self.streams[random.index(self.streams.len())]
    }

    fn make(&mut self, thread: &mut Thread<'_>, random: &mut Random) -> Attempt {
        let (stream, mode) = (self.stream(random), random.below(3));
        thread.does(&format!("cuStreamBeginCapture_v2 {stream} {mode}"));
        let (mut bytes, mut leaves) = (0, Vec::new());
        for _ in 0..1 + random.below(3) {
            let size = random.bytes();
            let address = thread.does(&format!("cuMemAllocAsync out {size} {stream}"))[0];
            let piece = Piece { address, bytes: size.next_multiple_of(CHUNK) };
            bytes += piece.bytes;
            leaves.push(piece);
        }
        for _ in 0..random.below(4) {
            if let Some(piece) = leaves.pop() {
                thread.does(&format!("cuMemFreeAsync {} {stream}", piece.address));
            }
        }
        let graph = thread.does(&format!("cuStreamEndCapture {stream} out"))[0];
        let uploads = random.one_in(3);
        let frees_on_launch = random.one_in(2);
        let flags = u64::from(frees_on_launch) * FREES_ON_LAUNCH + u64::from(uploads) * UPLOADS;
        let (code, written) =
            thread.call(&format!("cuGraphInstantiateWithParams out {graph} in={flags},{stream},0,0"));
        thread.does(&format!("cuGraphDestroy {graph}"));
        self.ready.extend(written.first().map(|handle| Exec {
            handle: *handle,
            bytes,
            frees_on_launch,
            leaves,
            left: Vec::new(),
        }));
        // It takes a chunk for itself.
        Attempt::of(code, if uploads { bytes + CHUNK } else { 0 })
    }

    fn launch(&mut self, thread: &mut Thread<'_>, random: &mut Random) -> Attempt {
        let stream = self.stream(random);
        let index = random.index(self.ready.len());
        let exec = &mut self.ready[index];
        let suffix = if random.one_in(2) { "_ptsz" } else { "" };
        if random.one_in(5) {
            let (code, _) = thread.call(&format!("cuGraphUpload{suffix} {} {stream}", exec.handle));
            return Attempt::of(code, exec.bytes);
        }
        let (code, _) = thread.call(&format!("cuGraphLaunch{suffix} {} {stream}", exec.handle));
        if code != OUT_OF_MEMORY && !exec.left.is_empty() && !exec.frees_on_launch {
            assert_eq!(code, 1, "launched while its memory is allocated");
            return Attempt::GRANTED;
        }
        if code == 0 {
            exec.left.clone_from(&exec.leaves);
        }
        if random.one_in(2) {
            thread.does(&format!("cuStreamSynchronize {stream}"));
        }
        // What the last launch has left is taken to be needed again.
        Attempt::of(code, exec.bytes)
    }

    fn free(&self, Piece { address, .. }: Piece, thread: &mut Thread<'_>, random: &mut Random) {
        if random.one_in(2) {
            thread.does(&format!("cuMemFree_v2 {address}"));
        } else {
            thread.does(&format!("cuMemFreeAsync {address} {}", self.stream(random)));
        }
    }
}

impl Kind for Graphs {
    fn take(&mut self, thread: &mut Thread<'_>, random: &mut Random) -> Attempt {
        if self.ready.is_empty() || (self.ready.len() < MANY && random.one_in(3)) {
            self.make(thread, random)
        } else {
            self.launch(thread, random)
        }
    }

    fn give(&mut self, thread: &mut Thread<'_>, random: &mut Random) {
        if !self.left.is_empty() && random.one_in(2) {
            let piece = any(&mut self.left, random);
            return self.free(piece, thread, random);
        }
        let frees = random.one_in(2);
        let with_memory = self.ready.iter_mut().find(|exec| frees && !exec.left.is_empty());
        if let Some(piece) = with_memory.and_then(|exec| exec.left.pop()) {
            return self.free(piece, thread, random);
        }
        if self.ready.is_empty() {
            let piece = any(&mut self.left, random);
            return self.free(piece, thread, random);
        }
        let exec = any(&mut self.ready, random);
        thread.does(&format!("cuGraphExecDestroy {}", exec.handle));
        self.left.extend(exec.left);
        if random.one_in(2) {
            thread.does("cuDeviceGraphMemTrim 0");
        }
    }

    fn len(&self) -> usize {
        self.ready.len() + self.left.len()
    }

    fn finish(&mut self, thread: &mut Thread<'_>) {
        thread.does("cuCtxSynchronize");
        thread.does("cuDeviceGraphMemTrim 0");
    }
}
