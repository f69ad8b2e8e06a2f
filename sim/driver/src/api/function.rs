//! Kernels and how many of their blocks fit a multiprocessor.

use std::ffi::{c_char, c_int, c_uint};
use std::sync::Arc;

use cuda_sys::{
    CUfunc_cache, CUfunction_attribute, CUfunctionLoadingState, CUoccupancyB2DSize, CUresult, CUsharedconfig,
};

use crate::abi::{Current, Handle, HandleOut, MaybeOut, Out, Ready, Size};
use crate::context::current;
use crate::outcome::Outcome;
use crate::process::Driver;
use crate::work::{Function, Kernel, MOST_BLOCKS, MOST_THREADS, SHARED_MEMORY_OPT_IN};

/// `CU_FUNCTION_LOADING_STATE_LOADED`.
const LOADED: CUfunctionLoadingState = 1;

/// The kernel of a handle. A library's kernel may stand for itself in the current context.
pub(super) fn function(driver: &Driver, handle: Handle) -> Outcome<Arc<Function>> {
    if let Some(function) = driver.functions.get(handle.0) {
        return Ok(function);
    }
    Kernel::of(driver, handle.0)?.function(driver, &*current()?)
}

pub(crate) fn cuFuncGetAttribute(
    call: Ready,
    value: Out<c_int>,
    attribute: CUfunction_attribute,
    kernel: Handle,
) -> Outcome {
    value.set(function(call.driver, kernel)?.traits.attribute(attribute)?);
    Ok(())
}

pub(crate) fn cuFuncSetAttribute(
    call: Ready,
    kernel: Handle,
    attribute: CUfunction_attribute,
    value: c_int,
) -> Outcome {
    function(call.driver, kernel)?.traits.set_attribute(attribute, value)
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

/// The name lives as long as its module.
pub(crate) fn cuFuncGetName(call: Ready, name: Out<*const c_char>, kernel: Handle) -> Outcome {
    name.set(function(call.driver, kernel)?.traits.name().as_ptr());
    Ok(())
}

pub(crate) fn cuFuncGetParamInfo(
    call: Ready,
    kernel: Handle,
    index: Size,
    offset: Out<usize>,
    size: MaybeOut<usize>,
) -> Outcome {
    let (place, bytes) = function(call.driver, kernel)?.traits.parameter(index.0)?;
    offset.set(place);
    size.set(bytes);
    Ok(())
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

/// What is left of a multiprocessor's shared memory for each of so many blocks.
pub(crate) fn cuOccupancyAvailableDynamicSMemPerBlock(
    call: Current,
    bytes: Out<usize>,
    kernel: Handle,
    blocks: c_int,
    threads: c_int,
) -> Outcome {
    function(call.driver, kernel)?;
    let blocks_that_fit = resident_blocks(&call, threads)?;
    if !(1..=blocks_that_fit).contains(&blocks) {
        return Err(CUresult::INVALID_VALUE);
    }
    bytes.set((SHARED_MEMORY_OPT_IN / blocks.cast_unsigned()) as usize);
    Ok(())
}
