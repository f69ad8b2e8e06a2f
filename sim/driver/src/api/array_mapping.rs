//! Memory of arrays that have none of their own.

use std::ffi::c_uint;

use cuda_sys::{CUarrayMapInfo, CUresult};

use crate::abi::{Handle, Ready};
use crate::array::Checked;
use crate::handles::lock;
use crate::outcome::Outcome;

/// Maps and unmaps at the call, not when the stream comes to it; all of a list or nothing of it.
///
/// # Safety
///
/// `list` must be null or `count` entries.
pub(crate) unsafe fn cuMemMapArrayAsync(
    call: Ready,
    list: *mut CUarrayMapInfo,
    count: c_uint,
    stream: Handle,
) -> Outcome {
    let lane = call.lane(stream.0)?;
    lane.refuse_capture(call.driver)?;
    if list.is_null() || count == 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    let device = call.driver.device(lane.context.device)?;
    let space = lock(&call.driver.space);
    let mut checked = Vec::new();
    for index in 0..count as usize {
        // SAFETY: below the count.
        let entry = unsafe { list.wrapping_add(index).read_unaligned() };
        checked.push(Checked::of(call.driver, &space, device, &entry)?);
    }
    checked.iter().try_for_each(|mapping| mapping.apply(call.driver, &space))
}

same! {
    cuMemMapArrayAsync: cuMemMapArrayAsync_ptsz;
}
