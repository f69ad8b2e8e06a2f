//! One thread that takes and gives back memory of every kind but those that the plain storm has.

use crate::random::Random;
use crate::tally::Tally;
use cuda_sys::*;
use sim_apps::cuda;
use std::ptr::null_mut;

/// `CU_AD_FORMAT_FLOAT`
const FLOAT: CUarray_format = CUarray_format(0x20);

/// What physical memory comes in.
const GRANULARITY: u64 = 2 << 20;

/// Elements of a row of an array, of 4 bytes each.
const ROW: usize = 4096;

/// What every thread can do.
pub(crate) struct Taker<'a> {
    tally: &'static Tally,
    random: &'a mut Random,
    stream: CUstream,
    /// Whether to use pools, which may grow above a limit for a moment.
    with_pools: bool,
}

/// Something that a thread holds, of which kind it is.
pub(crate) enum Held {
    Pooled(CUdeviceptr),
    /// Of a pool that is destroyed already.
    Orphaned(CUdeviceptr),
    /// An address, and how many bytes are mapped there.
    Mapped(CUdeviceptr, usize),
    Array(CUarray),
    /// A graph that has been launched and has left memory.
    Graph(CUgraphExec, CUdeviceptr),
    /// A context with memory in it.
    Context(CUcontext),
}

impl<'a> Taker<'a> {
    /// With a stream of its own in the current context.
    pub(crate) fn new(tally: &'static Tally, random: &'a mut Random, with_pools: bool) -> Self {
        let mut stream = CUstream(null_mut());
        // SAFETY: `stream` is valid for writing.
        let made = unsafe { cuda::cuStreamCreate(&raw mut stream, 1) };
        tally.count("cuStreamCreate", made);
        Self { tally, random, stream, with_pools }
    }

    /// Asks for at most `bytes`, one way or another.
    pub(crate) fn take(&mut self, bytes: u64) -> Option<Held> {
        let size = usize::try_from(bytes).ok()?;
        match self.random.below(if self.with_pools { 8 } else { 5 }) {
            0 => self.mapped(usize::try_from(bytes.next_multiple_of(GRANULARITY)).ok()?),
            1 => self.array(size),
            2 | 3 => self.graph(size),
            4 => self.context(size),
            5 | 6 => self.pooled(size),
            _ => self.orphaned(size),
        }
    }

    /// A call that may be refused.
    fn is_granted(&self, call: &str, result: CUresult) -> Option<()> {
        self.tally.count(call, result).then_some(())
    }

    /// A call that must succeed.
    fn must(&self, call: &str, result: CUresult) {
        if !result.is_success() {
            eprintln!("storm: {call} must succeed, and returned {}", result.0);
            // Also where it was refused for want of memory.
            self.tally.count(call, CUresult::UNKNOWN);
        }
    }

    fn pooled(&self, size: usize) -> Option<Held> {
        let mut address = 0;
        // SAFETY: `address` is valid for writing.
        let result = unsafe { cuda::cuMemAllocAsync(&raw mut address, size, self.stream) };
        self.is_granted("cuMemAllocAsync", result)?;
        Some(Held::Pooled(address))
    }

    fn orphaned(&self, size: usize) -> Option<Held> {
        // SAFETY: all zeros are valid properties.
        let mut properties = unsafe { std::mem::zeroed::<CUmemPoolProps>() };
        properties.allocType = CUmemAllocationType::PINNED;
        properties.location = CUmemLocation { kind: CUmemLocationType::DEVICE, id: 0 };
        let (mut pool, mut address) = (CUmemoryPool(null_mut()), 0);
        // SAFETY: `pool` is valid for writing, the properties for reading.
        self.must("cuMemPoolCreate", unsafe { cuda::cuMemPoolCreate(&raw mut pool, &raw const properties) });
        // SAFETY: `address` is valid for writing.
        let result = unsafe { cuda::cuMemAllocFromPoolAsync(&raw mut address, size, pool, self.stream) };
        // SAFETY: a pool that nobody else knows.
        self.must("cuMemPoolDestroy", unsafe { cuda::cuMemPoolDestroy(pool) });
        self.is_granted("cuMemAllocFromPoolAsync", result)?;
        Some(Held::Orphaned(address))
    }

    fn mapped(&self, size: usize) -> Option<Held> {
        // SAFETY: all zeros are valid properties.
        let mut properties = unsafe { std::mem::zeroed::<CUmemAllocationProp>() };
        properties.kind = CUmemAllocationType::PINNED;
        properties.location = CUmemLocation { kind: CUmemLocationType::DEVICE, id: 0 };
        let (mut handle, mut address) = (0, 0);
        // SAFETY: `handle` is valid for writing, the properties for reading.
        let result = unsafe { cuda::cuMemCreate(&raw mut handle, size, &raw const properties, 0) };
        self.is_granted("cuMemCreate", result)?;
        // SAFETY: `address` is valid for writing.
        let reserved = unsafe { cuda::cuMemAddressReserve(&raw mut address, size, 0, 0, 0) };
        self.must("cuMemAddressReserve", reserved);
        // SAFETY: a range of this thread's.
        self.must("cuMemMap", unsafe { cuda::cuMemMap(address, size, 0, handle, 0) });
        // SAFETY: a handle of this thread's.
        self.must("cuMemRelease", unsafe { cuda::cuMemRelease(handle) });
        Some(Held::Mapped(address, size))
    }

    fn array(&self, size: usize) -> Option<Held> {
        let descriptor = CUDA_ARRAY3D_DESCRIPTOR {
            Width: ROW,
            Height: (size / (4 * ROW)).max(1),
            Depth: 0,
            Format: FLOAT,
            NumChannels: 1,
            Flags: 0,
        };
        let mut array = CUarray(null_mut());
        // SAFETY: `array` is valid for writing, the descriptor for reading.
        let result = unsafe { cuda::cuArray3DCreate_v2(&raw mut array, &raw const descriptor) };
        self.is_granted("cuArray3DCreate_v2", result)?;
        Some(Held::Array(array))
    }

    fn graph(&self, size: usize) -> Option<Held> {
        let (graph, address) = self.captured(size);
        let mut exec = CUgraphExec(null_mut());
        // SAFETY: `exec` is valid for writing.
        let result = unsafe { cuda::cuGraphInstantiateWithFlags(&raw mut exec, graph, 0) };
        // SAFETY: a graph of this thread's.
        self.must("cuGraphDestroy", unsafe { cuda::cuGraphDestroy(graph) });
        self.is_granted("cuGraphInstantiateWithFlags", result)?;
        // SAFETY: a graph and a stream of this thread's.
        let result = unsafe { cuda::cuGraphLaunch(exec, self.stream) };
        if self.is_granted("cuGraphLaunch", result).is_none() {
            // SAFETY: as above.
            self.must("cuGraphExecDestroy", unsafe { cuda::cuGraphExecDestroy(exec) });
            return None;
        }
        Some(Held::Graph(exec, address))
    }

    /// A graph that allocates, and the address.
    fn captured(&self, size: usize) -> (CUgraph, CUdeviceptr) {
        let (mut graph, mut address) = (CUgraph(null_mut()), 0);
        // SAFETY: a stream of this thread's.
        let begun = unsafe { cuda::cuStreamBeginCapture_v2(self.stream, CUstreamCaptureMode::THREAD_LOCAL) };
        self.must("cuStreamBeginCapture_v2", begun);
        // SAFETY: `address` is valid for writing.
        let added = unsafe { cuda::cuMemAllocAsync(&raw mut address, size, self.stream) };
        self.must("cuMemAllocAsync", added);
        // SAFETY: `graph` is valid for writing.
        let ended = unsafe { cuda::cuStreamEndCapture(self.stream, &raw mut graph) };
        self.must("cuStreamEndCapture", ended);
        (graph, address)
    }

    fn context(&self, size: usize) -> Option<Held> {
        let (mut context, mut address) = (CUcontext(null_mut()), 0);
        // SAFETY: `context` is valid for writing.
        let result = unsafe { cuda::cuCtxCreate_v2(&raw mut context, 0, 0) };
        self.is_granted("cuCtxCreate_v2", result)?;
        // SAFETY: `address` is valid for writing.
        let result = unsafe { cuda::cuMemAlloc_v2(&raw mut address, size) };
        self.tally.count("cuMemAlloc_v2", result);
        // SAFETY: `context` is valid for writing.
        self.must("cuCtxPopCurrent_v2", unsafe { cuda::cuCtxPopCurrent_v2(&raw mut context) });
        Some(Held::Context(context))
    }

    /// Gives something back.
    pub(crate) fn give(&mut self, held: &Held) {
        let is_async = self.random.below(2) == 0;
        match *held {
            Held::Pooled(address) | Held::Orphaned(address) => self.free(address, is_async),
            Held::Mapped(address, size) => {
                // SAFETY: mapped by this thread, for nobody else.
                self.must("cuMemUnmap", unsafe { cuda::cuMemUnmap(address, size) });
                // SAFETY: as above.
                self.must("cuMemAddressFree", unsafe { cuda::cuMemAddressFree(address, size) });
            }
            Held::Array(array) => {
                // SAFETY: an array of this thread's.
                self.must("cuArrayDestroy", unsafe { cuda::cuArrayDestroy(array) });
            }
            Held::Graph(exec, address) => {
                self.free(address, is_async);
                // SAFETY: a graph of this thread's.
                self.must("cuGraphExecDestroy", unsafe { cuda::cuGraphExecDestroy(exec) });
                if self.random.below(4) == 0 {
                    // SAFETY: the call has no preconditions.
                    self.must("cuDeviceGraphMemTrim", unsafe { cuda::cuDeviceGraphMemTrim(0) });
                }
            }
            Held::Context(context) => {
                // SAFETY: a context of this thread's.
                self.must("cuCtxDestroy_v2", unsafe { cuda::cuCtxDestroy_v2(context) });
            }
        }
        if is_async {
            // SAFETY: a stream of this thread's.
            self.must("cuStreamSynchronize", unsafe { cuda::cuStreamSynchronize(self.stream) });
        }
    }

    fn free(&self, address: CUdeviceptr, is_async: bool) {
        let freed = if is_async {
            // SAFETY: memory of this thread's.
            unsafe { cuda::cuMemFreeAsync(address, self.stream) }
        } else {
            // SAFETY: as above.
            unsafe { cuda::cuMemFree_v2(address) }
        };
        self.must("a free", freed);
    }
}
