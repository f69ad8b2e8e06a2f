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
    /// Words of a place for the structure, which has 56 bytes.
    const ROOM: usize = 16;
    // SAFETY: the application's own arguments, or a place of ours.
    let ask = |stats| unsafe { real::nvmlDeviceGetAccountingStats(device, pid, stats) };
    in_slice(
        || ask(stats),
        |slice| {
            if stats.is_null() || is_own(slice, device, pid) {
                return ask(stats);
            }
            let mut place = [0_u64; ROOM];
            withheld(ask(place.as_mut_ptr().cast()))
        },
    )
}

pub(crate) unsafe fn nvmlDeviceGetAccountingStats_v2(
    device: nvmlDevice_t,
    stats: *mut nvmlAccountingStats_v2_t,
) -> nvmlReturn_t {
    // SAFETY: the application's own arguments, or a place of ours.
    let ask = |stats| unsafe { real::nvmlDeviceGetAccountingStats_v2(device, stats) };
    // SAFETY: null, or the application's structure, in which it says whose account it wants.
    let asked = unsafe { stats.as_ref() };
    in_slice(
        || ask(stats),
        |slice| match asked {
            Some(asked) if !is_own(slice, device, asked.pid) => {
                let mut place = *asked;
                withheld(ask(&raw mut place))
            }
            _ => ask(stats),
        },
    )
}

/// What is told of an account that is not the slice's, of which the driver says `answer`: that there is none, or what is wrong
/// with the question.
fn withheld(answer: nvmlReturn_t) -> nvmlReturn_t {
    if answer.is_success() { nvmlReturn_t::NOT_FOUND } else { answer }
}

fn is_own(slice: &'static Slice, device: nvmlDevice_t, pid: c_uint) -> bool {
    own::ids(slice, device).is_some_and(|ids| ids.contains(&pid))
}
