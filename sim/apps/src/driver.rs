//! The few calls that most programs here make, with Rust's types.

mod spin;

use crate::{Failure, check, cuda};
use cuda_sys::{
    CUDA_KERNEL_NODE_PARAMS, CUcontext, CUdevice, CUdeviceptr, CUevent, CUfunction, CUgraph, CUgraphExec,
    CUgraphNode, CUkernel, CUmodule, CUstream,
};
use std::ffi::CString;
use std::ptr::{null, null_mut};

/// Initialises the driver and makes the primary context of `device` current in this thread.
///
/// # Errors
/// What the driver answers.
pub fn start(device: CUdevice) -> Result<(), Failure> {
    let mut context = CUcontext(null_mut());
    // SAFETY: the call takes no pointers.
    check("cuInit", unsafe { cuda::cuInit(0) })?;
    // SAFETY: `context` is valid for writing.
    let retained = unsafe { cuda::cuDevicePrimaryCtxRetain(&raw mut context, device) };
    check("cuDevicePrimaryCtxRetain", retained)?;
    // SAFETY: the context has just been retained.
    check("cuCtxSetCurrent", unsafe { cuda::cuCtxSetCurrent(context) })
}

/// Allocates `bytes` of device memory.
///
/// # Errors
/// What the driver answers.
pub fn allocate(bytes: usize) -> Result<CUdeviceptr, Failure> {
    let mut address = 0;
    allocate_into(&mut address, bytes)?;
    Ok(address)
}

/// Allocates `bytes` of device memory; what becomes of `address` in a failure is the driver's doing.
///
/// # Errors
/// What the driver answers.
pub fn allocate_into(address: &mut CUdeviceptr, bytes: usize) -> Result<(), Failure> {
    // SAFETY: `address` is valid for writing.
    check("cuMemAlloc", unsafe { cuda::cuMemAlloc_v2(address, bytes) })
}

/// Frees device memory.
///
/// # Errors
/// What the driver answers, also for an address that is none.
pub fn free(address: CUdeviceptr) -> Result<(), Failure> {
    // SAFETY: the driver checks the address.
    check("cuMemFree", unsafe { cuda::cuMemFree_v2(address) })
}

/// Free and total memory of the current context's device, in bytes.
///
/// # Errors
/// What the driver answers.
pub fn memory_info() -> Result<(usize, usize), Failure> {
    let (mut free, mut total) = (0, 0);
    // SAFETY: both are valid for writing.
    check("cuMemGetInfo", unsafe { cuda::cuMemGetInfo_v2(&raw mut free, &raw mut total) })?;
    Ok((free, total))
}

/// The size of `device`, in bytes.
///
/// # Errors
/// What the driver answers.
pub fn total_memory(device: CUdevice) -> Result<usize, Failure> {
    let mut bytes = 0;
    // SAFETY: `bytes` is valid for writing.
    check("cuDeviceTotalMem", unsafe { cuda::cuDeviceTotalMem_v2(&raw mut bytes, device) })?;
    Ok(bytes)
}

/// A kernel that takes `microseconds` of the device's time, loaded into the current context. On a simulated device it has all
/// of it, on a card one multiprocessor.
///
/// # Errors
/// What the driver answers.
pub fn kernel(microseconds: u64) -> Result<CUfunction, Failure> {
    kernel_on(microseconds, 1000)
}

/// The same, which on a simulated device has so many `thousandths` of the multiprocessors.
///
/// # Errors
/// What the driver answers.
pub fn kernel_on(microseconds: u64, thousandths: u32) -> Result<CUfunction, Failure> {
    let (whole, rest) = (thousandths / 1000, thousandths % 1000);
    let simulated = format!("SIMKERN v1\nname=k dur_us={microseconds} sm={whole}.{rest:03}\n");
    // A real driver does not know that text, and a simulated one gives code for real devices another duration.
    load(&simulated).or_else(|_| load(&spin::ptx(microseconds)))
}

fn load(image: &str) -> Result<CUfunction, Failure> {
    let (mut module, mut kernel) = (CUmodule(null_mut()), CUfunction(null_mut()));
    let image = CString::new(image).unwrap_or_default();
    // SAFETY: a place for a handle, and text that ends with a NUL.
    let loaded = unsafe { cuda::cuModuleLoadData(&raw mut module, image.as_ptr().cast()) };
    check("cuModuleLoadData", loaded)?;
    // SAFETY: a place for a handle, a module that was just loaded, and a name that ends with a NUL.
    let found = unsafe { cuda::cuModuleGetFunction(&raw mut kernel, module, c"k".as_ptr()) };
    check("cuModuleGetFunction", found)?;
    Ok(kernel)
}

/// A stream of the current context that does not wait for the default one.
///
/// # Errors
/// What the driver answers.
pub fn stream() -> Result<CUstream, Failure> {
    /// `CU_STREAM_NON_BLOCKING`
    const NON_BLOCKING: u32 = 1;
    let mut stream = CUstream(null_mut());
    // SAFETY: a place for a handle.
    check("cuStreamCreate", unsafe { cuda::cuStreamCreate(&raw mut stream, NON_BLOCKING) })?;
    Ok(stream)
}

/// Launches a [`kernel`] in a stream.
///
/// # Errors
/// What the driver answers, also for handles that are none.
pub fn launch(kernel: CUfunction, stream: CUstream) -> Result<(), Failure> {
    // SAFETY: the driver checks the handles; the kernel has no parameters.
    let launched =
        unsafe { cuda::cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, stream, null_mut(), null_mut()) };
    check("cuLaunchKernel", launched)
}

/// A graph of so many launches of a [`kernel`], one after the other, ready to be launched itself. Needs CUDA 12.
///
/// # Errors
/// What the driver answers.
pub fn graph(kernel: CUfunction, nodes: u32) -> Result<CUgraphExec, Failure> {
    let params = CUDA_KERNEL_NODE_PARAMS {
        func: kernel,
        gridDimX: 1,
        gridDimY: 1,
        gridDimZ: 1,
        blockDimX: 1,
        blockDimY: 1,
        blockDimZ: 1,
        sharedMemBytes: 0,
        kernelParams: null_mut(),
        extra: null_mut(),
        kern: CUkernel(null_mut()),
        ctx: CUcontext(null_mut()),
    };
    let (mut graph, mut exec) = (CUgraph(null_mut()), CUgraphExec(null_mut()));
    // SAFETY: a place for a handle.
    check("cuGraphCreate", unsafe { cuda::cuGraphCreate(&raw mut graph, 0) })?;
    let mut before = None;
    for _ in 0..nodes {
        let mut node = CUgraphNode(null_mut());
        let (first, count) = before.as_ref().map_or((null(), 0), |before| (std::ptr::from_ref(before), 1));
        let add = cuda::cuGraphAddKernelNode_v2;
        // SAFETY: a place for a handle, `count` nodes of this graph, and a kernel without parameters.
        check("cuGraphAddKernelNode", unsafe { add(&raw mut node, graph, first, count, &raw const params) })?;
        before = Some(node);
    }
    // SAFETY: a place for a handle, and a graph that was just made.
    let instantiated = unsafe { cuda::cuGraphInstantiateWithFlags(&raw mut exec, graph, 0) };
    check("cuGraphInstantiate", instantiated)?;
    Ok(exec)
}

/// Launches a [`graph`] in a stream.
///
/// # Errors
/// What the driver answers, also for handles that are none.
pub fn launch_graph(graph: CUgraphExec, stream: CUstream) -> Result<(), Failure> {
    // SAFETY: the driver checks the handles.
    check("cuGraphLaunch", unsafe { cuda::cuGraphLaunch(graph, stream) })
}

/// Waits until a stream has done everything.
///
/// # Errors
/// What the driver answers, also for a handle that is none.
pub fn wait(stream: CUstream) -> Result<(), Failure> {
    // SAFETY: the driver checks the handle.
    check("cuStreamSynchronize", unsafe { cuda::cuStreamSynchronize(stream) })
}

/// An event that keeps no time.
///
/// # Errors
/// What the driver answers.
pub fn event() -> Result<CUevent, Failure> {
    /// `CU_EVENT_DISABLE_TIMING`
    const DISABLE_TIMING: u32 = 2;
    let mut event = CUevent(null_mut());
    // SAFETY: a place for a handle.
    check("cuEventCreate", unsafe { cuda::cuEventCreate(&raw mut event, DISABLE_TIMING) })?;
    Ok(event)
}

/// Records an event behind what a stream has been given.
///
/// # Errors
/// What the driver answers, also for handles that are none.
pub fn record(event: CUevent, stream: CUstream) -> Result<(), Failure> {
    // SAFETY: the driver checks the handles.
    check("cuEventRecord", unsafe { cuda::cuEventRecord(event, stream) })
}

/// Waits until an event has come.
///
/// # Errors
/// What the driver answers, also for a handle that is none.
pub fn wait_for(event: CUevent) -> Result<(), Failure> {
    // SAFETY: the driver checks the handle.
    check("cuEventSynchronize", unsafe { cuda::cuEventSynchronize(event) })
}

/// Creates a context of `device`, which is then current in this thread.
///
/// # Errors
/// What the driver answers.
pub fn create_context(device: CUdevice) -> Result<CUcontext, Failure> {
    let mut context = CUcontext(null_mut());
    // SAFETY: a place for a handle.
    check("cuCtxCreate", unsafe { cuda::cuCtxCreate_v2(&raw mut context, 0, device) })?;
    Ok(context)
}

/// Destroys a context.
///
/// # Errors
/// What the driver answers, also for a handle that is none.
pub fn destroy_context(context: CUcontext) -> Result<(), Failure> {
    // SAFETY: the driver checks the handle.
    check("cuCtxDestroy", unsafe { cuda::cuCtxDestroy_v2(context) })
}

/// Makes a context current in this thread.
///
/// # Errors
/// What the driver answers, also for a handle that is none.
pub fn set_context(context: CUcontext) -> Result<(), Failure> {
    // SAFETY: the driver checks the handle.
    check("cuCtxSetCurrent", unsafe { cuda::cuCtxSetCurrent(context) })
}
