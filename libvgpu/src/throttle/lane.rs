//! Where a launch goes: a stream of a device, as this process knows it.

use super::device::Metered;
use crate::state::{Member, Site, Slice};
use crate::stream::{DefaultStream, Stream, current_context, in_context_of};
use tracker::launches::StreamId;

/// A stream of a device of which launches are measured.
#[derive(Clone, Copy)]
pub(super) struct Lane {
    pub(super) member: &'static Member,
    pub(super) metered: &'static Metered,
    pub(super) stream: Stream,
    pub(super) id: StreamId,
}

impl Lane {
    /// Of the stream that `stream` is to the calling thread, of this number. `None` where nothing is measured: the driver will
    /// refuse the launch, or the slice has no room for this process.
    #[cold]
    pub(super) fn find(stream: Stream, thread: u64) -> Option<Self> {
        in_context_of(stream, || {
            let site = Site::current().ok()??;
            let metered = site.member.throttles.of(site.member, site.device)?;
            metered.pools.open(site.context(), current_context()?);
            let id = StreamId { context: site.context(), stream: number(stream, thread) };
            Some(Self { member: site.member, metered, stream, id })
        })
    }

    /// Whether it is this process's, of `stream`.
    #[inline]
    pub(super) fn is(&self, stream: Stream) -> bool {
        self.stream == stream && self.is_current()
    }

    /// Whether it is this process's, and not that of the one this is a fork of.
    #[inline]
    pub(super) fn is_current(&self) -> bool {
        self.member.account.is_current()
    }
}

/// Which stream of its context it is. A thread's own default stream is called the same on all threads.
pub(super) fn number(stream: Stream, thread: u64) -> u64 {
    /// No address of a process has it.
    const OF_A_THREAD: u64 = 1 << 63;
    match stream.default() {
        Some(DefaultStream::Legacy) => 0,
        Some(DefaultStream::PerThread) => OF_A_THREAD | thread,
        None => stream.handle().0 as u64,
    }
}

/// The stream `handle` of a context of its own that this process knows, and the device.
pub(super) fn known(slice: &'static Slice, stream: Stream) -> Option<(&'static Metered, StreamId)> {
    let member = slice.member_if_joined()?;
    let (device, context) = member.context(stream.own_context()?.0 as usize)?;
    let metered = member.throttles.at(device)?;
    Some((metered, StreamId { context, stream: stream.handle().0 as u64 }))
}
