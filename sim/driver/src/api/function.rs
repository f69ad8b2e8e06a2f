//! Kernels and how many of their blocks fit a multiprocessor.

use std::ffi::{c_int, c_uint};
use std::sync::Arc;

use cuda_sys::{
    CUfunc_cache, CUfunction_attribute, CUfunctionLoadingState, CUoccupancyB2DSize, CUresult, CUsharedconfig,
};

use crate::abi::{Current, Handle, HandleOut, Out, Ready, Size};
use crate::outcome::Outcome;
use crate::process::Driver;
use crate::work::{Function, MOST_BLOCKS, MOST_THREADS};

/// `CU_FUNCTION_LOADING_STATE_LOADED`.
const LOADED: CUfunctionLoadingState = 1;

/// The kernel of a handle.
pub(super) fn function(driver: &Driver, handle: Handle) -> Outcome<Arc<Function>> {
    driver.functions.get(handle.0).ok_or(CUresult::INVALID_HANDLE)
}

pub(crate) fn cuFuncGetAttribute(
    call: Ready,
    value: Out<c_int>,
    attribute: CUfunction_attribute,
    kernel: Handle,
) -> Outcome {
    value.set(function(call.driver, kernel)?.attribute(attribute)?);
    Ok(())
}

pub(crate) fn cuFuncSetAttribute(
    call: Ready,
    kernel: Handle,
    attribute: CUfunction_attribute,
    value: c_int,
) -> Outcome {
    function(call.driver, kernel)?.set_attribute(attribute, value)
}

/// A preference without effect.
pub(crate) fn cuFuncSetCacheConfig(call: Ready, kernel: Handle, _config: CUfunc_cache) -> Outcome {
    function(call.driver, kernel).map(drop)
}

/// A preference without effect.
pub(crate) fn cuFuncSetSharedMemConfig(call: Ready, kernel: Handle, _config: CUsharedconfig) -> Outcome {
    function(call.driver, kernel).map(drop)
}

pub(crate) fn cuFuncGetModule(call: Ready, module: HandleOut, kernel: Handle) -> Outcome {
    module.set(function(call.driver, kernel)?.module);
    Ok(())
}

pub(crate) fn cuFuncIsLoaded(call: Ready, state: Out<CUfunctionLoadingState>, kernel: Handle) -> Outcome {
    function(call.driver, kernel)?;
    state.set(LOADED);
    Ok(())
}

pub(crate) fn cuFuncLoad(call: Ready, kernel: Handle) -> Outcome {
    function(call.driver, kernel).map(drop)
}

/// Blocks of so many threads that fit a multiprocessor.
fn resident_blocks(call: &Current, threads: c_int) -> Outcome<c_int> {
    let threads = u32::try_from(threads).ok().filter(|threads| (1..=MOST_THREADS).contains(threads));
    let threads = threads.ok_or(CUresult::INVALID_VALUE)?;
    let room = call.driver.device(call.context.device)?.description.card.threads_per_multiprocessor;
    Ok((room / threads).min(MOST_BLOCKS).cast_signed())
}

pub(crate) fn cuOccupancyMaxActiveBlocksPerMultiprocessor(
    call: Current,
    blocks: Out<c_int>,
    kernel: Handle,
    threads: c_int,
    shared: Size,
) -> Outcome {
    cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(call, blocks, kernel, threads, shared, 0)
}

pub(crate) fn cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    call: Current,
    blocks: Out<c_int>,
    kernel: Handle,
    threads: c_int,
    _shared: Size,
    _flags: c_uint,
) -> Outcome {
    function(call.driver, kernel)?;
    blocks.set(resident_blocks(&call, threads)?);
    Ok(())
}

pub(crate) fn cuOccupancyMaxPotentialBlockSize(
    call: Current,
    grid: Out<c_int>,
    block: Out<c_int>,
    kernel: Handle,
    shared_of: CUoccupancyB2DSize,
    shared: Size,
    most: c_int,
) -> Outcome {
    cuOccupancyMaxPotentialBlockSizeWithFlags(call, grid, block, kernel, shared_of, shared, most, 0)
}

/// The largest blocks: simulated kernels need neither registers nor shared memory.
pub(crate) fn cuOccupancyMaxPotentialBlockSizeWithFlags(
    call: Current,
    grid: Out<c_int>,
    block: Out<c_int>,
    kernel: Handle,
    _shared_of: CUoccupancyB2DSize,
    _shared: Size,
    most: c_int,
    _flags: c_uint,
) -> Outcome {
    function(call.driver, kernel)?;
    let largest = MOST_THREADS.cast_signed();
    let threads = if most > 0 { most.min(largest) } else { largest };
    let multiprocessors = call.driver.device(call.context.device)?.description.card.multiprocessors;
    grid.set(resident_blocks(&call, threads)? * multiprocessors.cast_signed());
    block.set(threads);
    Ok(())
}
