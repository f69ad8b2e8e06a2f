//! The share of a device's time that is this slice's, and the waiting for it.
//!
//! Nothing here decides: how much a launch is charged, when it may go and what its measurement means is the business of
//! `policy` and `tracker`. This is what they need the driver, the clock and a thread for.
//!
//! - A launch goes through its **lane**: a stream of a device. A thread has a lease of each device it launches on, and remembers
//!   its **lanes**.
//! - **Events** around launches are taken from pools, one a context. The **meter** asks the driver about them.
//! - Nothing is recorded or waited for while its stream **captures**, nor in functions that streams call, where the driver
//!   refuses to be asked. Not all drivers refuse (they need not): there a launch, which is forbidden as well, would wait as
//!   others do, for a bounded time, and for nothing that the stream does.

pub(crate) mod captures;
mod device;
mod devices;
mod ends;
mod events;
mod graphs;
mod lane;
mod lanes;
mod launch;
mod meter;
mod trim;
mod wait;
mod work;

pub(crate) use devices::Throttles;
pub(crate) use ends::{Ending, graph_changed, graph_ends, stream_ends};
pub(crate) use work::{Key, Work};

use crate::clock;
use crate::state::slice;
use crate::stream::Stream;
use cuda_sys::CUresult;

/// Whether launches on any of the slice's devices are to be metered now.
#[inline]
fn is_limited() -> bool {
    slice().ok().flatten().is_some_and(|slice| slice.meters_any())
}

/// Makes a launch, which waits for its time and is measured if a limit is in force for its device.
#[inline]
pub(crate) fn metered(work: impl FnOnce() -> Work, call: impl Fn() -> CUresult) -> CUresult {
    if is_limited() { launch::launched(work(), &call) } else { call() }
}

/// Makes one launch of several parts, on different devices.
#[inline]
pub(crate) fn metered_together(work: impl FnOnce() -> Vec<Work>, call: impl Fn() -> CUresult) -> CUresult {
    if is_limited() { launch::launched_together(&work(), &call) } else { call() }
}

/// This thread is about to wait for a device: what it has launched ends its measurement.
#[inline]
pub(crate) fn about_to_wait() {
    if is_limited() {
        lanes::each(|held| {
            held.end_epoch();
            held.lane.metered.see_to_it(held.lane.member);
        });
    }
}

/// Does what waits for all that was launched in `stream`, or in the current context.
#[inline]
pub(crate) fn waiting(stream: Option<Stream>, wait: impl FnOnce() -> CUresult) -> CUresult {
    if !is_limited() {
        return wait();
    }
    about_to_wait();
    let is_it = |held: &lanes::Held| stream.is_none_or(|stream| held.lane.stream == stream);
    let is_watched = lanes::latest(|held| is_it(held) && held.begins_to_wait()).unwrap_or(false);
    if !is_watched {
        return wait();
    }
    let begin = clock::coarse();
    let result = wait();
    let end = clock::coarse();
    lanes::latest(|held| held.has_waited(end, end.saturating_sub(begin)));
    result
}
