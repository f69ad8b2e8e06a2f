//! Contexts take memory when they are created and give back theirs, and all that was allocated in them, when they end.

use crate::abi::driver::real;
use crate::state::{NewContext, Turn, reconcile, slice};
use crate::throttle::Ending;
use core::ptr::null_mut;
use cuda_sys::*;

pub(crate) unsafe fn cuCtxCreate(pctx: *mut CUcontext, flags: c_uint, dev: CUdevice) -> CUresult {
    // SAFETY: the application's own arguments.
    create(pctx, dev, || unsafe { real::cuCtxCreate(pctx, flags, dev) })
}

pub(crate) unsafe fn cuCtxCreate_v2(pctx: *mut CUcontext, flags: c_uint, dev: CUdevice) -> CUresult {
    // SAFETY: the application's own arguments.
    create(pctx, dev, || unsafe { real::cuCtxCreate_v2(pctx, flags, dev) })
}

pub(crate) unsafe fn cuCtxCreate_v3(
    pctx: *mut CUcontext,
    params: *mut CUexecAffinityParam,
    count: c_int,
    flags: c_uint,
    dev: CUdevice,
) -> CUresult {
    // SAFETY: the application's own arguments.
    create(pctx, dev, || unsafe { real::cuCtxCreate_v3(pctx, params, count, flags, dev) })
}

pub(crate) unsafe fn cuCtxCreate_v4(
    pctx: *mut CUcontext,
    params: *mut CUctxCreateParams,
    flags: c_uint,
    dev: CUdevice,
) -> CUresult {
    // SAFETY: the application's own arguments.
    create(pctx, dev, || unsafe { real::cuCtxCreate_v4(pctx, params, flags, dev) })
}

pub(crate) unsafe fn cuGLCtxCreate(pctx: *mut CUcontext, flags: c_uint, dev: CUdevice) -> CUresult {
    // SAFETY: the application's own arguments.
    create(pctx, dev, || unsafe { real::cuGLCtxCreate(pctx, flags, dev) })
}

pub(crate) unsafe fn cuGLCtxCreate_v2(pctx: *mut CUcontext, flags: c_uint, dev: CUdevice) -> CUresult {
    // SAFETY: the application's own arguments.
    create(pctx, dev, || unsafe { real::cuGLCtxCreate_v2(pctx, flags, dev) })
}

pub(crate) unsafe fn cuVDPAUCtxCreate(
    pctx: *mut CUcontext,
    flags: c_uint,
    dev: CUdevice,
    display: VdpDevice,
    lookup: *mut VdpGetProcAddress,
) -> CUresult {
    // SAFETY: the application's own arguments.
    create(pctx, dev, || unsafe { real::cuVDPAUCtxCreate(pctx, flags, dev, display, lookup) })
}

pub(crate) unsafe fn cuVDPAUCtxCreate_v2(
    pctx: *mut CUcontext,
    flags: c_uint,
    dev: CUdevice,
    display: VdpDevice,
    lookup: *mut VdpGetProcAddress,
) -> CUresult {
    // SAFETY: the application's own arguments.
    create(pctx, dev, || unsafe { real::cuVDPAUCtxCreate_v2(pctx, flags, dev, display, lookup) })
}

/// Only the first retain of a primary context creates it.
pub(crate) unsafe fn cuDevicePrimaryCtxRetain(pctx: *mut CUcontext, dev: CUdevice) -> CUresult {
    // SAFETY: the application's own arguments.
    let call = || unsafe { real::cuDevicePrimaryCtxRetain(pctx, dev) };
    in_turn(dev, call, |turn| if primary_is_active(dev) { call() } else { charged(turn, pctx, call) })
}

pub(crate) unsafe fn cuDevicePrimaryCtxRelease(dev: CUdevice) -> CUresult {
    // SAFETY: the application's own argument.
    end_primary(dev, || unsafe { real::cuDevicePrimaryCtxRelease(dev) })
}

pub(crate) unsafe fn cuDevicePrimaryCtxRelease_v2(dev: CUdevice) -> CUresult {
    // SAFETY: the application's own argument.
    end_primary(dev, || unsafe { real::cuDevicePrimaryCtxRelease_v2(dev) })
}

pub(crate) unsafe fn cuDevicePrimaryCtxReset(dev: CUdevice) -> CUresult {
    // SAFETY: the application's own argument.
    end_primary(dev, || unsafe { real::cuDevicePrimaryCtxReset(dev) })
}

pub(crate) unsafe fn cuDevicePrimaryCtxReset_v2(dev: CUdevice) -> CUresult {
    // SAFETY: the application's own argument.
    end_primary(dev, || unsafe { real::cuDevicePrimaryCtxReset_v2(dev) })
}

pub(crate) unsafe fn cuCtxDestroy(ctx: CUcontext) -> CUresult {
    // SAFETY: the application's own argument.
    end(ctx, || unsafe { real::cuCtxDestroy(ctx) }, || true)
}

pub(crate) unsafe fn cuCtxDestroy_v2(ctx: CUcontext) -> CUresult {
    // SAFETY: the application's own argument.
    end(ctx, || unsafe { real::cuCtxDestroy_v2(ctx) }, || true)
}

/// Ends the context only with its last attachment.
pub(crate) unsafe fn cuCtxDetach(ctx: CUcontext) -> CUresult {
    // SAFETY: the application's own argument.
    end(ctx, || unsafe { real::cuCtxDetach(ctx) }, || !is_alive(ctx))
}

fn create(pctx: *mut CUcontext, dev: CUdevice, call: impl Fn() -> CUresult) -> CUresult {
    in_turn(dev, &call, |turn| charged(turn, pctx, &call))
}

/// Does `limited` in this thread's turn on the device, or only calls the driver where nothing is charged.
pub(super) fn in_turn(
    dev: CUdevice,
    call: impl FnOnce() -> CUresult,
    limited: impl FnOnce(&Turn) -> CUresult,
) -> CUresult {
    match Turn::take(dev) {
        Ok(Some(turn)) => limited(&turn),
        Ok(None) => call(),
        Err(code) => code,
    }
}

/// Charges what a context takes and creates it. The driver rejects a null pointer by itself.
fn charged(turn: &Turn, pctx: *mut CUcontext, call: impl FnOnce() -> CUresult) -> CUresult {
    if pctx.is_null() || !driver_works() {
        return call();
    }
    let context = match NewContext::prepare(turn) {
        Ok(context) => context,
        Err(code) => return code,
    };
    let result = call();
    if result.is_success() {
        // SAFETY: the driver has written the new handle there.
        context.created(unsafe { *pctx }.0 as usize);
    }
    result
}

/// The driver refuses everything in a child that was forked after it had started. What a context takes is measured with
/// NVML, which may wait there for ever, for a thread that only the parent has.
pub(super) fn driver_works() -> bool {
    let mut count = 0;
    // SAFETY: `count` is valid for writing.
    unsafe { real::cuDeviceGetCount(&raw mut count) }.is_success()
}

/// Makes a call after which the context may have ended.
fn end(ctx: CUcontext, call: impl FnOnce() -> CUresult, has_ended: impl FnOnce() -> bool) -> CUresult {
    let Some(slice) = slice().ok().flatten() else { return call() };
    let Some(member) = slice.member_if_joined() else { return call() };
    let result = member.end_context(ctx.0 as usize, call, has_ended);
    if result.is_success() {
        slice.observe_all();
    }
    result
}

/// Releasing a primary context ends it with the last reference, resetting it always.
pub(super) fn end_primary(dev: CUdevice, call: impl Fn() -> CUresult) -> CUresult {
    in_turn(dev, &call, |turn| {
        let primary = if primary_is_active(dev) { primary_handle(dev) } else { None };
        let ending = primary.and_then(|primary| turn.ending(primary.0 as usize));
        let result = call();
        match primary.filter(|_| result.is_success() && !primary_is_active(dev)) {
            Some(primary) => {
                turn.forget_context(primary.0 as usize);
                reconcile(turn);
            }
            None => ending.into_iter().for_each(Ending::undo),
        }
        result
    })
}

pub(super) fn primary_is_active(dev: CUdevice) -> bool {
    let (mut flags, mut active) = (0, 0);
    // SAFETY: both are valid for writing.
    let result = unsafe { real::cuDevicePrimaryCtxGetState(dev, &raw mut flags, &raw mut active) };
    result.is_success() && active != 0
}

/// The handle of an active primary context. The driver only tells it to those who retain it.
pub(super) fn primary_handle(dev: CUdevice) -> Option<CUcontext> {
    let mut primary = CUcontext(null_mut());
    // SAFETY: `primary` is valid for writing.
    if !unsafe { real::cuDevicePrimaryCtxRetain(&raw mut primary, dev) }.is_success() {
        return None;
    }
    // SAFETY: gives back the reference just taken.
    let released = unsafe { real::cuDevicePrimaryCtxRelease_v2(dev) };
    released.is_success().then_some(primary)
}

fn is_alive(ctx: CUcontext) -> bool {
    let mut version = 0;
    // SAFETY: `version` is valid for writing; the driver answers for a dead handle that it is none.
    unsafe { real::cuCtxGetApiVersion(ctx, &raw mut version) }.is_success()
}
