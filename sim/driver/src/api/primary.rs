//! Primary contexts.

use std::ffi::{c_int, c_uint};
use std::sync::atomic::Ordering;

use cuda_sys::{CUdevice, CUresult};

use crate::abi::{HandleOut, MaybeOut, Ready};
use crate::context;
use crate::outcome::Outcome;

pub(crate) fn cuDevicePrimaryCtxRetain(call: Ready, made: HandleOut, device: CUdevice) -> Outcome {
    made.set(context::retain(call.driver, call.driver.device(device)?)?.handle);
    Ok(())
}

pub(crate) fn cuDevicePrimaryCtxRelease_v2(call: Ready, device: CUdevice) -> Outcome {
    context::release(call.driver, call.driver.device(device)?)
}

pub(crate) fn cuDevicePrimaryCtxReset_v2(call: Ready, device: CUdevice) -> Outcome {
    context::reset(call.driver, call.driver.device(device)?)
}

pub(crate) fn cuDevicePrimaryCtxGetState(
    call: Ready,
    device: CUdevice,
    flags: MaybeOut<c_uint>,
    active: MaybeOut<c_int>,
) -> Outcome {
    let primary = &call.driver.device(device)?.primary;
    flags.set(primary.flags.load(Ordering::Acquire));
    active.set(c_int::from(primary.is_alive()));
    Ok(())
}

/// Before API 11.0 the flags of a living primary context could not be changed.
pub(crate) fn cuDevicePrimaryCtxSetFlags(call: Ready, device: CUdevice, flags: c_uint) -> Outcome {
    if call.driver.device(device)?.primary.is_alive() {
        return Err(CUresult::PRIMARY_CONTEXT_ACTIVE);
    }
    cuDevicePrimaryCtxSetFlags_v2(call, device, flags)
}

pub(crate) fn cuDevicePrimaryCtxSetFlags_v2(call: Ready, device: CUdevice, flags: c_uint) -> Outcome {
    context::set_primary_flags(call.driver.device(device)?, flags)
}

same! {
    cuDevicePrimaryCtxRelease_v2: cuDevicePrimaryCtxRelease;
    cuDevicePrimaryCtxReset_v2: cuDevicePrimaryCtxReset;
}
