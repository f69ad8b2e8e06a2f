//! Launches of API 2.0: the kernel carries the shape of its blocks, and its parameters are set one by one.

use std::ffi::{c_int, c_uint, c_void};

use cuda_sys::CUresult;

use super::function::function;
use crate::abi::{Handle, Ready};
use crate::handles::lock;
use crate::outcome::Outcome;
use crate::work::{Grid, Launch, launch};

pub(crate) fn cuFuncSetBlockShape(call: Ready, kernel: Handle, x: c_int, y: c_int, z: c_int) -> Outcome {
    let block = (positive(x)?, positive(y)?, positive(z)?);
    Grid::new((1, 1, 1), block)?;
    lock(&function(call.driver, kernel)?.state).block = block;
    Ok(())
}

pub(crate) fn cuFuncSetSharedSize(call: Ready, kernel: Handle, bytes: c_uint) -> Outcome {
    lock(&function(call.driver, kernel)?.state).shared = bytes;
    Ok(())
}

fn positive(size: c_int) -> Outcome<u32> {
    u32::try_from(size).map_err(|_| CUresult::INVALID_VALUE)
}

fn run(call: &Ready, kernel: Handle, width: c_int, height: c_int, stream: usize) -> Outcome {
    let function = function(call.driver, kernel)?;
    let state = *lock(&function.state);
    let grid = Grid::new((positive(width)?, positive(height)?, 1), state.block)?;
    // These calls have no way to pass an override by.
    let order = Launch { function, grid, shared: state.shared, cooperative: false, args: None };
    launch(call.driver, &call.lane(stream)?, order)
}

pub(crate) fn cuLaunch(call: Ready, kernel: Handle) -> Outcome {
    run(&call, kernel, 1, 1, 0)
}

pub(crate) fn cuLaunchGrid(call: Ready, kernel: Handle, width: c_int, height: c_int) -> Outcome {
    run(&call, kernel, width, height, 0)
}

pub(crate) fn cuLaunchGridAsync(
    call: Ready,
    kernel: Handle,
    width: c_int,
    height: c_int,
    stream: Handle,
) -> Outcome {
    run(&call, kernel, width, height, stream.0)
}

/// Simulated kernels read no parameters, so none is kept.
pub(crate) fn cuParamSetSize(call: Ready, kernel: Handle, _bytes: c_uint) -> Outcome {
    function(call.driver, kernel).map(drop)
}

/// As for [`cuParamSetSize`].
pub(crate) fn cuParamSeti(call: Ready, kernel: Handle, _offset: c_int, _value: c_uint) -> Outcome {
    function(call.driver, kernel).map(drop)
}

/// As for [`cuParamSetSize`].
pub(crate) fn cuParamSetf(call: Ready, kernel: Handle, _offset: c_int, _value: f32) -> Outcome {
    function(call.driver, kernel).map(drop)
}

/// As for [`cuParamSetSize`].
pub(crate) fn cuParamSetv(
    call: Ready,
    kernel: Handle,
    _offset: c_int,
    _value: *mut c_void,
    _bytes: c_uint,
) -> Outcome {
    function(call.driver, kernel).map(drop)
}
