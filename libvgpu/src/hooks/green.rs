//! Green contexts: parts of a device's multiprocessors. Each keeps the primary context alive, whose memory theirs is, and takes
//! a little of its own.

use super::context::{driver_works, end_primary, in_turn, primary_handle, primary_is_active};
use crate::abi::driver::real;
use crate::state::{NewContext, Slice, Turn, reconcile, slice};
use contract::Bytes;
use cuda_sys::*;
use shared_region::MemoryClass;

pub(crate) unsafe fn cuGreenCtxCreate(
    green: *mut CUgreenCtx,
    desc: CUdevResourceDesc,
    dev: CUdevice,
    flags: c_uint,
) -> CUresult {
    // SAFETY: the application's own arguments.
    let call = || unsafe { real::cuGreenCtxCreate(green, desc, dev, flags) };
    in_turn(dev, call, |turn| {
        if green.is_null() || !driver_works() {
            return call();
        }
        let result =
            if primary_is_active(dev) { beside_primary(turn, call) } else { with_primary(turn, dev, call) };
        if result.is_success() {
            // SAFETY: the driver has written the new handle there.
            turn.note_green(unsafe { *green }.0 as usize, dev);
            reconcile(turn);
        }
        result
    })
}

/// The primary context ends with its last reference, which this may be.
pub(crate) unsafe fn cuGreenCtxDestroy(green: CUgreenCtx) -> CUresult {
    // SAFETY: the application's own argument.
    let call = || unsafe { real::cuGreenCtxDestroy(green) };
    let member = slice().ok().flatten().and_then(|slice| slice.member_if_joined());
    let Some((member, dev)) = member.and_then(|member| Some((member, member.green(green.0 as usize)?)))
    else {
        return call();
    };
    member.leave_green(green.0 as usize);
    let result = end_primary(dev, call);
    if result.is_success() {
        member.end_green(green.0 as usize);
        slice().ok().flatten().into_iter().for_each(Slice::observe_all);
    }
    result
}

/// What is allocated while a green context is current is the primary context's.
pub(crate) unsafe fn cuCtxFromGreenCtx(context: *mut CUcontext, green: CUgreenCtx) -> CUresult {
    // SAFETY: the application's own arguments.
    let result = unsafe { real::cuCtxFromGreenCtx(context, green) };
    let member = slice().ok().flatten().and_then(|slice| slice.member_if_joined());
    if let Some(member) = member.filter(|_| result.is_success())
        && let Some(primary) = member.green(green.0 as usize).and_then(primary_handle)
    {
        // SAFETY: the driver has written the handle there.
        member.note_view(green.0 as usize, unsafe { *context }.0 as usize, primary.0 as usize);
    }
    result
}

/// Takes no context's worth of memory, so all that is asked is that the slice is not over its limit.
fn beside_primary(turn: &Turn, call: impl FnOnce() -> CUresult) -> CUresult {
    match turn.place().reserve(MemoryClass::Context, Bytes::ZERO) {
        Ok(_) => call(),
        Err(code) => code,
    }
}

/// Creates the primary context as well.
fn with_primary(turn: &Turn, dev: CUdevice, call: impl FnOnce() -> CUresult) -> CUresult {
    let context = match NewContext::prepare(turn) {
        Ok(context) => context,
        Err(code) => return code,
    };
    let result = call();
    if let Some(primary) = primary_handle(dev).filter(|_| result.is_success()) {
        context.created(primary.0 as usize);
    }
    result
}
