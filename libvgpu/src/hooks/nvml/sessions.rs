//! Sessions of the video encoder and of frame capture, each of which belongs to a process.

use super::{in_slice, own, room};
use crate::abi::nvml::real;
use cuda_sys::*;

pub(crate) unsafe fn nvmlDeviceGetEncoderSessions(
    device: nvmlDevice_t,
    sessionCount: *mut c_uint,
    sessionInfos: *mut nvmlEncoderSessionInfo_t,
) -> nvmlReturn_t {
    // SAFETY: the application's own arguments, or a count and a place of ours.
    let ask = |count, place| unsafe { real::nvmlDeviceGetEncoderSessions(device, count, place) };
    // SAFETY: the application's own arguments.
    unsafe { own_sessions(device, (sessionCount, sessionInfos), ask, |session| session.pid) }
}

pub(crate) unsafe fn nvmlDeviceGetFBCSessions(
    device: nvmlDevice_t,
    sessionCount: *mut c_uint,
    sessionInfo: *mut nvmlFBCSessionInfo_t,
) -> nvmlReturn_t {
    // SAFETY: the application's own arguments, or a count and a place of ours.
    let ask = |count, place| unsafe { real::nvmlDeviceGetFBCSessions(device, count, place) };
    // SAFETY: the application's own arguments.
    unsafe { own_sessions(device, (sessionCount, sessionInfo), ask, |session| session.pid) }
}

/// # Safety
/// `count` must be null or valid for reading and writing, and `place` null or valid for as many entries as it says.
unsafe fn own_sessions<T: Copy + Default>(
    device: nvmlDevice_t,
    (count, place): (*mut c_uint, *mut T),
    ask: impl Fn(*mut c_uint, *mut T) -> nvmlReturn_t,
    pid: fn(&T) -> u32,
) -> nvmlReturn_t {
    let limited = |slice| {
        if count.is_null() {
            return ask(count, place);
        }
        match room::whole(&ask) {
            Ok(mut sessions) => {
                let ids = own::ids(slice, device).unwrap_or_default();
                sessions.retain(|session| ids.contains(&pid(session)));
                // SAFETY: promised by the caller; `count` is not null.
                unsafe { room::fill(count, place, sessions.into_iter()) }
            }
            Err(answer) => answer,
        }
    };
    in_slice(|| ask(count, place), limited)
}
