//! Streams, graphs and contexts that end.

use super::device::Metered;
use super::events::Pool;
use super::{lane, lanes};
use crate::state::{Member, slice};
use crate::stream::Stream;
use cuda_sys::{CUgraphExec, CUresult, CUstream};
use policy::compute::Nanos;
use tracker::ContextId;

/// A stream is about to end. What was launched in it is still measured.
#[inline]
pub(crate) fn stream_ends(stream: CUstream) {
    if let Ok(Some(slice)) = slice() {
        lanes::something_ends();
        if let Some((metered, id)) = lane::known(slice, Stream::legacy(stream)) {
            metered.throttle.forget_stream(id);
        }
    }
}

/// A graph that can be launched has been changed, if `result` is a success; which is returned.
pub(crate) fn graph_changed(exec: CUgraphExec, result: CUresult) -> CUresult {
    if let Some(member) = member().filter(|_| result.is_success())
        && let Some(key) = member.throttles.graphs.change(exec, |key| expected(member, key))
    {
        forget(member, key);
    }
    result
}

/// A graph that can be launched is about to end.
pub(crate) fn graph_ends(exec: CUgraphExec) {
    if let Some(member) = member()
        && let Some(key) = member.throttles.graphs.forget(exec)
    {
        forget(member, key);
    }
}

/// What a launch of `key` is expected to cost, on whichever device one was measured.
fn expected(member: &'static Member, key: super::Key) -> Option<Nanos> {
    member.throttles.metered().filter_map(|metered| metered.throttle.expected(key.number())).max()
}

fn forget(member: &'static Member, key: super::Key) {
    member.throttles.metered().for_each(|metered| metered.throttle.forget_work(key.number()));
}

fn member() -> Option<&'static Member> {
    slice().ok().flatten()?.member_if_joined()
}

/// A context that may be about to end: nothing is measured in it.
#[must_use]
pub(crate) struct Ending {
    metered: &'static Metered,
    context: ContextId,
    pool: Option<Pool>,
}

impl Ending {
    /// The context `handle` may end with the next call of the driver. `None` where nothing was measured in it.
    pub(crate) fn begin(member: &'static Member, handle: usize) -> Option<Self> {
        let (device, context) = member.context(handle)?;
        let metered = member.throttles.at(device)?;
        lanes::something_ends();
        let pool = metered.pools.close(context);
        // Returns when nobody asks about its events any more.
        metered.throttle.forget_context(context);
        Some(Self { metered, context, pool })
    }

    /// It has not ended.
    pub(crate) fn undo(self) {
        if let Some(pool) = self.pool {
            self.metered.pools.reopen(self.context, pool);
        }
    }
}
