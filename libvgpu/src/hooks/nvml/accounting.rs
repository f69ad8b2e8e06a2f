//! Accounting: what processes have used since they started. Of those that have ended nobody can say whose they were.

use super::{in_slice, own, room};
use crate::abi::nvml::real;
use crate::state::Slice;
use cuda_sys::*;

pub(crate) unsafe fn nvmlDeviceGetAccountingPids(
    device: nvmlDevice_t,
    count: *mut c_uint,
    pids: *mut c_uint,
) -> nvmlReturn_t {
    // SAFETY: the application's own arguments, or a count and a place of ours.
    let ask = |count, place| unsafe { real::nvmlDeviceGetAccountingPids(device, count, place) };
    let native = || ask(count, pids);
    let limited = |slice| {
        if count.is_null() {
            return native();
        }
        match room::whole(ask) {
            Ok(mut accounted) => {
                let ids = own::ids(slice, device).unwrap_or_default();
                accounted.retain(|pid| ids.contains(pid));
                // SAFETY: `count` is not null, and the application says how much room there is.
                unsafe { room::fill(count, pids, accounted.into_iter()) }
            }
            Err(answer) => answer,
        }
    };
    in_slice(native, limited)
}

pub(crate) unsafe fn nvmlDeviceGetAccountingStats(
    device: nvmlDevice_t,
    pid: c_uint,
    stats: *mut nvmlAccountingStats_t,
) -> nvmlReturn_t {
    // SAFETY: the application's own arguments.
    let native = || unsafe { real::nvmlDeviceGetAccountingStats(device, pid, stats) };
    in_slice(native, |slice| if is_own(slice, device, pid) { native() } else { nvmlReturn_t::NOT_FOUND })
}

pub(crate) unsafe fn nvmlDeviceGetAccountingStats_v2(
    device: nvmlDevice_t,
    stats: *mut nvmlAccountingStats_v2_t,
) -> nvmlReturn_t {
    // SAFETY: the application's own arguments.
    let native = || unsafe { real::nvmlDeviceGetAccountingStats_v2(device, stats) };
    // SAFETY: null, or the application's structure, in which it says whose account it wants.
    let asked = unsafe { stats.as_ref() }.map(|stats| stats.pid);
    in_slice(native, |slice| match asked {
        Some(pid) if !is_own(slice, device, pid) => nvmlReturn_t::NOT_FOUND,
        _ => native(),
    })
}

fn is_own(slice: &'static Slice, device: nvmlDevice_t, pid: c_uint) -> bool {
    own::ids(slice, device).is_some_and(|ids| ids.contains(&pid))
}
