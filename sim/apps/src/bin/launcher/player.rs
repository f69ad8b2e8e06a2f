//! One thread at work.

use crate::workload::{How, Plan};
use cuda_sys::{
    CUfunction, CUgraph, CUgraphExec, CUlaunchConfig, CUmodule, CUresult, CUstream, CUstreamCaptureMode,
};
use sim_apps::{Failure, check, cuda};
use std::ffi::{CString, c_void};
use std::ptr::null_mut;
use std::time::Duration;

const DEFAULT: CUstream = CUstream(null_mut());
const NONE: *mut *mut c_void = null_mut();

/// `CU_STREAM_NON_BLOCKING`
const NON_BLOCKING: u32 = 1;

/// A thread that launches what its plan says.
pub(crate) struct Player<'a> {
    plan: &'a Plan,
    kernels: Vec<CUfunction>,
    streams: Vec<CUstream>,
    /// What is launched instead of kernels, if that is so.
    graph: Option<CUgraphExec>,
    launches: u64,
}

impl<'a> Player<'a> {
    /// Loads the kernels and creates the streams, in the current context.
    pub(crate) fn new(plan: &'a Plan) -> Result<Self, Failure> {
        let (kernels, streams) = (loaded(&plan.durations_us)?, Vec::new());
        let mut player = Self { plan, kernels, streams, graph: None, launches: 0 };
        player.streams = (0..plan.streams).map(|_| stream()).collect::<Result<_, _>>()?;
        if plan.how == How::Graph {
            player.graph = Some(player.captured()?);
        }
        Ok(player)
    }

    /// Launches once, waits when it is time to, and says how many launches that were.
    pub(crate) fn step(&mut self) -> Result<u64, Failure> {
        let at = turn(self.launches, self.kernels.len());
        let kernel = if self.plan.unseen { new(self.plan.durations_us[at])? } else { self.kernels[at] };
        let stream = self.streams.get(turn(self.launches, self.streams.len())).copied().unwrap_or(DEFAULT);
        match self.graph {
            // SAFETY: both are this thread's, and live.
            Some(graph) => check("cuGraphLaunch", unsafe { cuda::cuGraphLaunch(graph, stream) })?,
            None => launch(self.plan.how, kernel, stream)?,
        }
        self.launches += 1;
        if self.plan.wait_after > 0 && self.launches.is_multiple_of(self.plan.wait_after) {
            self.wait(stream)?;
            std::thread::sleep(Duration::from_micros(self.plan.idle_us));
        }
        Ok(1)
    }

    /// Waits until the device has done everything.
    pub(crate) fn finish(&self) -> Result<(), Failure> {
        // SAFETY: the call takes no pointers.
        check("cuCtxSynchronize", unsafe { cuda::cuCtxSynchronize() })
    }

    fn wait(&self, stream: CUstream) -> Result<(), Failure> {
        if self.plan.how == How::OwnStream {
            // SAFETY: the call takes no pointers but the handle.
            return check("cuStreamSynchronize", unsafe { cuda::cuStreamSynchronize_ptsz(stream) });
        }
        // SAFETY: the call takes no pointers but the handle.
        check("cuStreamSynchronize", unsafe { cuda::cuStreamSynchronize(stream) })
    }

    /// A graph of each kernel once.
    fn captured(&self) -> Result<CUgraphExec, Failure> {
        let (mut graph, mut exec) = (CUgraph(null_mut()), CUgraphExec(null_mut()));
        let stream = self.streams.first().copied().unwrap_or(DEFAULT);
        // SAFETY: a stream of this thread's.
        let begun = unsafe { cuda::cuStreamBeginCapture_v2(stream, CUstreamCaptureMode::THREAD_LOCAL) };
        check("cuStreamBeginCapture", begun)?;
        for kernel in &self.kernels {
            launch(How::Kernel, *kernel, stream)?;
        }
        // SAFETY: a place for a handle.
        check("cuStreamEndCapture", unsafe { cuda::cuStreamEndCapture(stream, &raw mut graph) })?;
        // SAFETY: a place for a handle, and a graph that was just made.
        let made = unsafe { cuda::cuGraphInstantiateWithFlags(&raw mut exec, graph, 0) };
        check("cuGraphInstantiateWithFlags", made)?;
        Ok(exec)
    }
}

/// Kernels of these durations, in microseconds.
fn loaded(durations_us: &[u64]) -> Result<Vec<CUfunction>, Failure> {
    let named = |(number, duration): (usize, &u64)| format!("\nname=k{number} dur_us={duration}");
    let kernels: String = durations_us.iter().enumerate().map(named).collect();
    let (mut module, text) = (CUmodule(null_mut()), text(format!("SIMKERN v1{kernels}\n")));
    // SAFETY: a place for a handle, and text that ends with a NUL.
    let loaded = unsafe { cuda::cuModuleLoadData(&raw mut module, text.as_ptr().cast()) };
    check("cuModuleLoadData", loaded)?;
    (0..durations_us.len()).map(|number| kernel(module, number)).collect()
}

/// A kernel that nobody has launched before.
fn new(duration_us: u64) -> Result<CUfunction, Failure> {
    loaded(&[duration_us]).map(|kernels| kernels[0])
}

fn kernel(module: CUmodule, number: usize) -> Result<CUfunction, Failure> {
    let (mut kernel, name) = (CUfunction(null_mut()), text(format!("k{number}")));
    // SAFETY: a place for a handle, a module of this thread's and a name that ends with a NUL.
    let found = unsafe { cuda::cuModuleGetFunction(&raw mut kernel, module, name.as_ptr()) };
    check("cuModuleGetFunction", found)?;
    Ok(kernel)
}

/// Text of this file's, in which there is no NUL.
fn text(text: String) -> CString {
    CString::new(text).unwrap_or_default()
}

fn stream() -> Result<CUstream, Failure> {
    let mut stream = DEFAULT;
    // SAFETY: a place for a handle.
    check("cuStreamCreate", unsafe { cuda::cuStreamCreate(&raw mut stream, NON_BLOCKING) })?;
    Ok(stream)
}

/// Which of so many it is the turn of.
fn turn(number: u64, of: usize) -> usize {
    usize::try_from(number % (of as u64).max(1)).unwrap_or(0)
}

fn launch(how: How, kernel: CUfunction, stream: CUstream) -> Result<(), Failure> {
    let (call, code): (_, CUresult) = match how {
        How::Kernel | How::Graph => {
            // SAFETY: handles of this thread's; the kernel has no parameters.
            let code = unsafe { cuda::cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, stream, NONE, NONE) };
            ("cuLaunchKernel", code)
        }
        How::OwnStream => {
            // SAFETY: as above.
            let code = unsafe { cuda::cuLaunchKernel_ptsz(kernel, 1, 1, 1, 1, 1, 1, 0, stream, NONE, NONE) };
            ("cuLaunchKernel_ptsz", code)
        }
        How::Extended => {
            let config = config(stream);
            // SAFETY: as above; the configuration lives for the call and has no attributes.
            let code = unsafe { cuda::cuLaunchKernelEx(&raw const config, kernel, NONE, NONE) };
            ("cuLaunchKernelEx", code)
        }
        How::Cooperative => {
            // SAFETY: as above.
            let code = unsafe { cuda::cuLaunchCooperativeKernel(kernel, 1, 1, 1, 1, 1, 1, 0, stream, NONE) };
            ("cuLaunchCooperativeKernel", code)
        }
        // SAFETY: as above.
        How::Grid => ("cuLaunchGridAsync", unsafe { cuda::cuLaunchGridAsync(kernel, 1, 1, stream) }),
    };
    check(call, code)
}

/// One block of one thread in a stream.
fn config(stream: CUstream) -> CUlaunchConfig {
    CUlaunchConfig {
        gridDimX: 1,
        gridDimY: 1,
        gridDimZ: 1,
        blockDimX: 1,
        blockDimY: 1,
        blockDimZ: 1,
        sharedMemBytes: 0,
        hStream: stream,
        attrs: null_mut(),
        numAttrs: 0,
    }
}
