//! Green contexts and what they divide.

use std::ffi::{c_int, c_uint};
use std::sync::Arc;

use cuda_sys::{CUdevResource, CUdevResourceType, CUdevSmResource, CUdevice, CUresult};

use crate::abi::{Given, Handle, HandleOut, MaybeOut, Out, Ready};
use crate::context::{Green, Origin, Share};
use crate::outcome::Outcome;
use crate::work::Stream;

/// `CU_DEV_RESOURCE_TYPE_SM`.
const MULTIPROCESSORS: CUdevResourceType = 1;
/// What a part has at least, and what its number is a multiple of (compute capability 9.0).
const LEAST: u32 = 8;
/// `CU_STREAM_NON_BLOCKING`, without which there is no stream of a green context.
const NON_BLOCKING: c_uint = 1;
/// `CU_STREAM_DEFAULT` of a green context is created with it (`CU_GREEN_CTX_DEFAULT_STREAM`).
const DEFAULT_STREAM: c_uint = 1;
/// Flags of a split that change nothing here: ways to place the parts.
const PLACEMENTS: c_uint = 3;

fn resource(multiprocessors: u32) -> CUdevResource {
    let sm = CUdevSmResource {
        smCount: multiprocessors,
        minSmPartitionSize: LEAST,
        smCoscheduledAlignment: LEAST,
        flags: 0,
    };
    CUdevResource { kind: MULTIPROCESSORS, _internal_padding: [0; 92], sm, rest: [0; 8] }
}

fn green(call: &Ready, handle: Handle) -> Outcome<Arc<Green>> {
    call.driver.greens.get(handle.0).ok_or(CUresult::INVALID_CONTEXT)
}

pub(crate) fn cuDeviceGetDevResource(
    call: Ready,
    device: CUdevice,
    found: Out<CUdevResource>,
    kind: CUdevResourceType,
) -> Outcome {
    let card = &call.driver.device(device)?.description.card;
    if kind != MULTIPROCESSORS {
        return Err(CUresult::INVALID_RESOURCE_TYPE);
    }
    found.set(resource(card.multiprocessors));
    Ok(())
}

pub(crate) fn cuCtxGetDevResource(
    call: Ready,
    context: Handle,
    found: Out<CUdevResource>,
    kind: CUdevResourceType,
) -> Outcome {
    let context = call.context(context.0)?;
    if let Some(green) = call.driver.greens.find(|green| Arc::ptr_eq(&green.view, &context)) {
        found.set(resource(green.share.multiprocessors));
        return Ok(());
    }
    cuDeviceGetDevResource(call, context.device, found, kind)
}

/// # Safety
///
/// `count` must be null or a place for a number, and `parts` null or have room for as many resources as it says.
pub(crate) unsafe fn cuDevSmResourceSplitByCount(
    _: Ready,
    parts: *mut CUdevResource,
    count: *mut c_uint,
    whole: Given<CUdevResource>,
    rest: MaybeOut<CUdevResource>,
    flags: c_uint,
    least: c_uint,
) -> Outcome {
    // SAFETY: null or a place of the caller's.
    let count = unsafe { count.as_mut() }.ok_or(CUresult::INVALID_VALUE)?;
    let all = whole.0.sm.smCount;
    if whole.0.kind != MULTIPROCESSORS {
        return Err(CUresult::INVALID_RESOURCE_TYPE);
    }
    if flags & !PLACEMENTS != 0 || least > all {
        return Err(CUresult::INVALID_VALUE);
    }
    let size = least.max(1).next_multiple_of(LEAST);
    let most = all / size;
    let wanted = if parts.is_null() { most } else { (*count).min(most) };
    if wanted == 0 {
        return Err(CUresult::INVALID_RESOURCE_CONFIGURATION);
    }
    for at in (0..wanted as usize).filter(|_| !parts.is_null()) {
        // SAFETY: below the number that the caller has room for.
        unsafe { parts.wrapping_add(at).write(resource(size)) };
    }
    *count = wanted;
    rest.set(resource(all - wanted * size));
    Ok(())
}

/// # Safety
///
/// `resources` must be null or point to so many resources.
pub(crate) unsafe fn cuDevResourceGenerateDesc(
    call: Ready,
    made: HandleOut,
    resources: *mut CUdevResource,
    count: c_uint,
) -> Outcome {
    if resources.is_null() || count == 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    let mut multiprocessors = 0_u32;
    for at in 0..count as usize {
        // SAFETY: not null and below the number.
        let resource = unsafe { resources.wrapping_add(at).read_unaligned() };
        if resource.kind != MULTIPROCESSORS {
            return Err(CUresult::INVALID_RESOURCE_TYPE);
        }
        multiprocessors = multiprocessors.saturating_add(resource.sm.smCount);
    }
    if multiprocessors == 0 {
        return Err(CUresult::INVALID_RESOURCE_CONFIGURATION);
    }
    made.set(call.driver.shares.insert(Share { multiprocessors }));
    Ok(())
}

pub(crate) fn cuGreenCtxCreate(
    call: Ready,
    made: HandleOut,
    desc: Handle,
    device: CUdevice,
    flags: c_uint,
) -> Outcome {
    let device = call.driver.device(device)?;
    let share = call.driver.shares.get(desc.0).filter(|_| flags & !DEFAULT_STREAM == 0);
    made.set(Green::create(call.driver, device, *share.ok_or(CUresult::INVALID_VALUE)?)?);
    Ok(())
}

pub(crate) fn cuGreenCtxDestroy(call: Ready, handle: Handle) -> Outcome {
    Green::destroy(call.driver, handle.0)
}

pub(crate) fn cuCtxFromGreenCtx(call: Ready, context: HandleOut, handle: Handle) -> Outcome {
    context.set(green(&call, handle)?.view.handle);
    Ok(())
}

pub(crate) fn cuGreenCtxStreamCreate(
    call: Ready,
    made: HandleOut,
    handle: Handle,
    flags: c_uint,
    priority: c_int,
) -> Outcome {
    if flags != NON_BLOCKING {
        return Err(CUresult::INVALID_VALUE);
    }
    made.set(Stream::create(call.driver, Arc::clone(&green(&call, handle)?.view), flags, priority)?);
    Ok(())
}

/// Null for a stream of another context.
pub(crate) fn cuStreamGetGreenCtx(call: Ready, stream: Handle, found: HandleOut) -> Outcome {
    let context = call.lane(stream.0)?.context;
    let is_green = context.origin == Origin::Green;
    let green = call.driver.greens.find(|green| is_green && Arc::ptr_eq(&green.view, &context));
    found.set(green.map_or(0, |green| green.handle));
    Ok(())
}
