//! One thread at work.

use crate::workload::{How, Plan};
use cuda_sys::{CUfunction, CUgraph, CUgraphExec, CUlaunchConfig, CUstream, CUstreamCaptureMode};
use sim_apps::{Failure, check, cuda, driver};
use std::ffi::c_void;
use std::ptr::null_mut;
use std::time::Duration;

const DEFAULT: CUstream = CUstream(null_mut());
const NONE: *mut *mut c_void = null_mut();

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
        let kernels = plan.durations_us.iter().map(|us| driver::kernel(*us)).collect::<Result<_, _>>()?;
        let streams = (0..plan.streams).map(|_| driver::stream()).collect::<Result<_, _>>()?;
        let mut player = Self { plan, kernels, streams, graph: None, launches: 0 };
        if plan.how == How::Graph {
            player.graph = Some(player.captured()?);
        }
        Ok(player)
    }

    /// Launches once, waits when it is time to, and says how many launches that were.
    pub(crate) fn step(&mut self) -> Result<u64, Failure> {
        let at = turn(self.launches, self.kernels.len());
        let kernel =
            if self.plan.unseen { driver::kernel(self.plan.durations_us[at])? } else { self.kernels[at] };
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
        driver::wait(stream)
    }

    /// A graph of each kernel once.
    fn captured(&self) -> Result<CUgraphExec, Failure> {
        let (mut graph, mut exec) = (CUgraph(null_mut()), CUgraphExec(null_mut()));
        let stream = self.streams.first().copied().unwrap_or(DEFAULT);
        // SAFETY: a stream of this thread's.
        let begun = unsafe { cuda::cuStreamBeginCapture_v2(stream, CUstreamCaptureMode::THREAD_LOCAL) };
        check("cuStreamBeginCapture", begun)?;
        for kernel in &self.kernels {
            driver::launch(*kernel, stream)?;
        }
        // SAFETY: a place for a handle.
        check("cuStreamEndCapture", unsafe { cuda::cuStreamEndCapture(stream, &raw mut graph) })?;
        // SAFETY: a place for a handle, and a graph that was just made.
        let made = unsafe { cuda::cuGraphInstantiateWithFlags(&raw mut exec, graph, 0) };
        check("cuGraphInstantiateWithFlags", made)?;
        Ok(exec)
    }
}

/// Which of so many it is the turn of.
fn turn(number: u64, of: usize) -> usize {
    usize::try_from(number % (of as u64).max(1)).unwrap_or(0)
}

fn launch(how: How, kernel: CUfunction, stream: CUstream) -> Result<(), Failure> {
    let (call, code) = match how {
        How::Kernel | How::Graph => return driver::launch(kernel, stream),
        How::OwnStream => {
            // SAFETY: handles of this thread's; the kernel has no parameters.
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
