//! Launches.

use std::ffi::{c_uint, c_void};

use cuda_sys::{CUlaunchAttributeID, CUlaunchConfig, CUresult};

use super::function::function;
use crate::abi::{Given, Handle, Ready};
use crate::outcome::Outcome;
use crate::work::{Grid, Launch, launch};

/// `CU_LAUNCH_ATTRIBUTE_COOPERATIVE`.
const COOPERATIVE: CUlaunchAttributeID = 2;

type Parameters = *mut *mut c_void;

/// What is said of a launch besides the kernel, its parameters and the stream.
pub(super) struct Shape {
    pub(super) grid: (c_uint, c_uint, c_uint),
    pub(super) block: (c_uint, c_uint, c_uint),
    pub(super) shared: c_uint,
    pub(super) cooperative: bool,
}

impl Shape {
    /// The launch of a kernel.
    ///
    /// # Safety
    ///
    /// `parameters` must be null or point to as many pointers as the kernel has parameters.
    pub(super) unsafe fn launch(
        &self,
        call: &Ready,
        kernel: Handle,
        parameters: Parameters,
        extra: Parameters,
    ) -> Outcome<Launch> {
        let function = function(call.driver, kernel)?;
        let grid = Grid::new(self.grid, self.block)?;
        // SAFETY: passed on.
        let args = unsafe { Launch::args(&function, parameters, extra) }?;
        Ok(Launch { function, grid, shared: self.shared, cooperative: self.cooperative, args })
    }
}

/// # Safety
///
/// `parameters` must be null or point to as many pointers as the kernel has parameters.
unsafe fn run(
    call: &Ready,
    kernel: Handle,
    shape: &Shape,
    stream: Handle,
    parameters: Parameters,
    extra: Parameters,
) -> Outcome {
    // SAFETY: passed on.
    let order = unsafe { shape.launch(call, kernel, parameters, extra) }?;
    launch(call.driver, &call.lane(stream.0)?, order)
}

/// # Safety
///
/// `parameters` must be null or point to as many pointers as the kernel has parameters.
pub(crate) unsafe fn cuLaunchKernel(
    call: Ready,
    kernel: Handle,
    grid_x: c_uint,
    grid_y: c_uint,
    grid_z: c_uint,
    block_x: c_uint,
    block_y: c_uint,
    block_z: c_uint,
    shared: c_uint,
    stream: Handle,
    parameters: Parameters,
    extra: Parameters,
) -> Outcome {
    let (grid, block) = ((grid_x, grid_y, grid_z), (block_x, block_y, block_z));
    let shape = Shape { grid, block, shared, cooperative: false };
    // SAFETY: passed on.
    unsafe { run(&call, kernel, &shape, stream, parameters, extra) }
}

/// # Safety
///
/// As for [`cuLaunchKernel`].
pub(crate) unsafe fn cuLaunchCooperativeKernel(
    call: Ready,
    kernel: Handle,
    grid_x: c_uint,
    grid_y: c_uint,
    grid_z: c_uint,
    block_x: c_uint,
    block_y: c_uint,
    block_z: c_uint,
    shared: c_uint,
    stream: Handle,
    parameters: Parameters,
) -> Outcome {
    let (grid, block) = ((grid_x, grid_y, grid_z), (block_x, block_y, block_z));
    let shape = Shape { grid, block, shared, cooperative: true };
    // SAFETY: passed on.
    unsafe { run(&call, kernel, &shape, stream, parameters, std::ptr::null_mut()) }
}

/// Of the attributes only the cooperative one makes a difference: others say how blocks are placed and ordered.
///
/// # Safety
///
/// As for [`cuLaunchKernel`]; the configuration's attributes must be as many as it says.
pub(crate) unsafe fn cuLaunchKernelEx(
    call: Ready,
    config: Given<CUlaunchConfig>,
    kernel: Handle,
    parameters: Parameters,
    extra: Parameters,
) -> Outcome {
    let config = config.0;
    let stream = Handle(config.hStream.0.addr());
    let shape = Shape {
        grid: (config.gridDimX, config.gridDimY, config.gridDimZ),
        block: (config.blockDimX, config.blockDimY, config.blockDimZ),
        shared: config.sharedMemBytes,
        // SAFETY: passed on.
        cooperative: unsafe { is_cooperative(&config) }?,
    };
    // SAFETY: passed on.
    unsafe { run(&call, kernel, &shape, stream, parameters, extra) }
}

/// # Safety
///
/// `config.attrs` must be null or `config.numAttrs` attributes.
unsafe fn is_cooperative(config: &CUlaunchConfig) -> Outcome<bool> {
    if config.attrs.is_null() {
        return if config.numAttrs == 0 { Ok(false) } else { Err(CUresult::INVALID_VALUE) };
    }
    let mut cooperative = false;
    for index in 0..config.numAttrs as usize {
        // SAFETY: below the number of attributes.
        let attribute = unsafe { config.attrs.wrapping_add(index).read_unaligned() };
        if attribute.id == COOPERATIVE {
            // The value is an int.
            cooperative = attribute.value.pad[..4].iter().any(|byte| *byte != 0);
        }
    }
    Ok(cooperative)
}

same! {
    cuLaunchKernel: cuLaunchKernel_ptsz;
    cuLaunchCooperativeKernel: cuLaunchCooperativeKernel_ptsz;
    cuLaunchKernelEx: cuLaunchKernelEx_ptsz;
}
