//! Contexts.

use std::ffi::{c_int, c_uint, c_ulonglong};
use std::sync::atomic::Ordering;

use cuda_sys::{
    CUctxCreateParams, CUdevice, CUexecAffinityParam, CUfunc_cache, CUlimit, CUresult, CUsharedconfig,
};

use crate::abi::{Current, Handle, HandleOut, MaybeHandleOut, MaybeOut, Out, Ready, Size, SizeOut};
use crate::context::{self, Origin};
use crate::outcome::Outcome;
use crate::work::{HIGHEST_PRIORITY, forbid_captures};

fn create(call: &Ready, made: &HandleOut, flags: c_uint, device: CUdevice, api_version: u32) -> Outcome {
    let device = call.driver.device(device)?;
    made.set(context::create(call.driver, device, flags, Origin::Created { api_version })?.handle);
    Ok(())
}

pub(crate) fn cuCtxCreate(call: Ready, made: HandleOut, flags: c_uint, device: CUdevice) -> Outcome {
    create(&call, &made, flags, device, 3010)
}

pub(crate) fn cuCtxCreate_v2(call: Ready, made: HandleOut, flags: c_uint, device: CUdevice) -> Outcome {
    create(&call, &made, flags, device, 3020)
}

/// Execution affinities need MPS, which is not simulated.
pub(crate) fn cuCtxCreate_v3(
    call: Ready,
    made: HandleOut,
    _affinities: *mut CUexecAffinityParam,
    count: c_int,
    flags: c_uint,
    device: CUdevice,
) -> Outcome {
    if count != 0 {
        return Err(CUresult::UNSUPPORTED_EXEC_AFFINITY);
    }
    create(&call, &made, flags, device, 3020)
}

/// Parameters ask for affinities or for graphics interoperability, neither of which is simulated.
pub(crate) fn cuCtxCreate_v4(
    call: Ready,
    made: HandleOut,
    parameters: *mut CUctxCreateParams,
    flags: c_uint,
    device: CUdevice,
) -> Outcome {
    if !parameters.is_null() {
        return Err(CUresult::NOT_SUPPORTED);
    }
    create(&call, &made, flags, device, 3020)
}

pub(crate) fn cuCtxDestroy_v2(call: Ready, context: Handle) -> Outcome {
    context::destroy(call.driver, context.0)
}

pub(crate) fn cuCtxAttach(call: Current, attached: HandleOut, flags: c_uint) -> Outcome {
    if flags != 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    call.context.uses.fetch_add(1, Ordering::AcqRel);
    attached.set(call.context.handle);
    Ok(())
}

/// The last user's detach destroys the context; it must be current, and no primary one.
pub(crate) fn cuCtxDetach(call: Current, context: Handle) -> Outcome {
    if call.context.handle != context.0 || !matches!(call.context.origin, Origin::Created { .. }) {
        return Err(CUresult::INVALID_CONTEXT);
    }
    if call.context.uses.fetch_sub(1, Ordering::AcqRel) > 1 {
        return Ok(());
    }
    context::destroy(call.driver, context.0)
}

pub(crate) fn cuCtxPushCurrent_v2(call: Ready, context: Handle) -> Outcome {
    context::push(living(&call, context)?)
}

pub(crate) fn cuCtxPopCurrent_v2(_: Ready, popped: MaybeHandleOut) -> Outcome {
    popped.set(context::pop()?.ok_or(CUresult::INVALID_CONTEXT)?.handle);
    Ok(())
}

pub(crate) fn cuCtxSetCurrent(call: Ready, context: Handle) -> Outcome {
    let context = if context.0 == 0 { None } else { Some(living(&call, context)?) };
    context::replace(context)
}

fn living(call: &Ready, context: Handle) -> Outcome<std::sync::Arc<context::Context>> {
    let found = call.driver.contexts.get(context.0).filter(|context| context.is_alive());
    found.ok_or(CUresult::INVALID_CONTEXT)
}

/// Null when no context is current.
pub(crate) fn cuCtxGetCurrent(_: Ready, current: HandleOut) -> Outcome {
    current.set(context::top()?.map_or(0, |context| context.handle));
    Ok(())
}

pub(crate) fn cuCtxGetDevice(call: Current, device: Out<CUdevice>) -> Outcome {
    device.set(call.context.device);
    Ok(())
}

pub(crate) fn cuCtxGetDevice_v2(call: Ready, device: Out<CUdevice>, context: Handle) -> Outcome {
    device.set(call.context(context.0)?.device);
    Ok(())
}

pub(crate) fn cuCtxGetId(call: Ready, context: Handle, id: Out<c_ulonglong>) -> Outcome {
    id.set(call.context(context.0)?.life()?.id.0);
    Ok(())
}

pub(crate) fn cuCtxGetApiVersion(call: Ready, context: Handle, version: Out<c_uint>) -> Outcome {
    version.set(match call.context(context.0)?.origin {
        Origin::Created { api_version } => api_version,
        Origin::Primary | Origin::Green => 3020,
    });
    Ok(())
}

pub(crate) fn cuCtxGetFlags(call: Current, flags: Out<c_uint>) -> Outcome {
    flags.set(call.context.flags.load(Ordering::Acquire));
    Ok(())
}

pub(crate) fn cuCtxSetFlags(call: Current, flags: c_uint) -> Outcome {
    if !context::are_context_flags(flags) {
        return Err(CUresult::INVALID_VALUE);
    }
    call.context.flags.store(flags, Ordering::Release);
    Ok(())
}

pub(crate) fn cuCtxSynchronize(call: Current) -> Outcome {
    forbid_captures(call.driver, call.context.life()?.id)?;
    call.context.synchronize(call.driver)
}

pub(crate) fn cuCtxSynchronize_v2(call: Ready, context: Handle) -> Outcome {
    let context = call.context(context.0)?;
    context.check()?;
    forbid_captures(call.driver, context.life()?.id)?;
    context.synchronize(call.driver)
}

pub(crate) fn cuCtxGetLimit(call: Current, value: SizeOut, limit: CUlimit) -> Outcome {
    value.set(call.context.limits.get(limit)?);
    Ok(())
}

pub(crate) fn cuCtxSetLimit(call: Current, limit: CUlimit, value: Size) -> Outcome {
    call.context.set_limit(call.driver, limit, value.0)
}

pub(crate) fn cuCtxGetCacheConfig(call: Current, config: Out<CUfunc_cache>) -> Outcome {
    config.set(call.context.limits.cache_config.load(Ordering::Acquire));
    Ok(())
}

pub(crate) fn cuCtxSetCacheConfig(call: Current, config: CUfunc_cache) -> Outcome {
    call.context.limits.cache_config.store(config, Ordering::Release);
    Ok(())
}

pub(crate) fn cuCtxGetSharedMemConfig(call: Current, config: Out<CUsharedconfig>) -> Outcome {
    config.set(call.context.limits.shared_memory_config.load(Ordering::Acquire));
    Ok(())
}

pub(crate) fn cuCtxSetSharedMemConfig(call: Current, config: CUsharedconfig) -> Outcome {
    call.context.limits.shared_memory_config.store(config, Ordering::Release);
    Ok(())
}

pub(crate) fn cuCtxGetStreamPriorityRange(
    _: Current,
    least: MaybeOut<c_int>,
    greatest: MaybeOut<c_int>,
) -> Outcome {
    least.set(0);
    greatest.set(HIGHEST_PRIORITY);
    Ok(())
}

/// There is no cache to reset.
pub(crate) fn cuCtxResetPersistingL2Cache(_: Current) -> Outcome {
    Ok(())
}

pub(crate) fn cuCtxEnablePeerAccess(call: Current, peer: Handle, flags: c_uint) -> Outcome {
    if flags != 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    call.driver.contexts.get(peer.0).ok_or(CUresult::INVALID_CONTEXT)?;
    Err(CUresult::PEER_ACCESS_UNSUPPORTED)
}

pub(crate) fn cuCtxDisablePeerAccess(call: Current, peer: Handle) -> Outcome {
    call.driver.contexts.get(peer.0).ok_or(CUresult::INVALID_CONTEXT)?;
    Err(CUresult::PEER_ACCESS_NOT_ENABLED)
}

same! {
    cuCtxDestroy_v2: cuCtxDestroy;
    cuCtxPushCurrent_v2: cuCtxPushCurrent;
    cuCtxPopCurrent_v2: cuCtxPopCurrent;
}
