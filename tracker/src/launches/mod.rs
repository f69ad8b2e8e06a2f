//! Launches: when each may begin, what it is expected to cost, and what it has cost.
//!
//! No clock, no driver and no thread is in here. Whoever launches asks the process's [`Throttle`] of the device for its turn
//! and lets it [record](Recorder) events around the launch; somebody else [polls](Throttle::poll) it, with what
//! [tells](Events) how far the device is. `docs/compute-shares.md` explains how launches are metered.

mod attention;
mod backlog;
mod burst;
mod costs;
mod counts;
mod epoch;
mod known;
mod lease;
mod linger;
mod meter;
mod modes;
mod overlap;
mod poll;
mod pool;
mod repeat;
mod rhythm;
mod sampling;
mod settle;
mod stream;
#[cfg(test)]
mod tests;
mod throttle;
mod timeline;
mod trimmer;
mod turn;
mod ways;

pub use counts::Counts;
pub use lease::Lease;
pub use repeat::Repeat;
pub use throttle::Throttle;
pub use trimmer::Trimmer;
pub use turn::{Admission, Turn};

use policy::compute::trim::Trim;
use policy::compute::{Nanos, Share};

use crate::ContextId;
use crate::spread::spread;

/// A stream of a context. What the driver knows by a number that means something else on every thread (a thread's default
/// stream) is a stream of its own on every thread here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct StreamId {
    /// The context.
    pub context: ContextId,
    /// Which of its streams.
    pub stream: u64,
}

impl StreamId {
    /// Both in one number.
    fn key(self) -> u64 {
        spread(self.context.0).rotate_left(32) ^ self.stream
    }
}

/// Something to launch.
#[derive(Clone, Copy, Debug)]
pub struct Work {
    /// What it is known by: launches of the same key cost about the same.
    pub key: u64,
    /// Where it is launched.
    pub stream: StreamId,
    /// What a launch of the key costs at least, as long as none was measured.
    pub least_cost: Nanos,
}

/// What is in force just now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terms {
    /// How much of the device's time the slice may use.
    pub share: Share,
    /// What metered time is multiplied with.
    pub trim: Trim,
    /// Whether somebody divides the device by what is used of it, and is to see that soon.
    pub is_shared_out: bool,
}

/// The stream of a launch, and the time, for who launches.
pub trait Recorder<E> {
    /// The time now.
    fn now(&self) -> Nanos;

    /// About that, by some milliseconds, where that costs less. Never mixed with the time [now](Self::now).
    fn about(&self) -> Nanos {
        self.now()
    }

    /// Takes an event that keeps time and records it in the stream. None if that cannot be done; then the launch counts as
    /// what it is expected to cost.
    fn record(&mut self) -> Option<E>;
}

/// What the driver says about events that were recorded.
pub trait Events<E> {
    /// The time now, which what it has said so far was true before.
    fn now(&self) -> Nanos;

    /// Whether the device has come to the event. Also true if the event will never tell.
    fn is_done(&self, event: E) -> bool;

    /// How long the device took from one event to a later one, both of one context and done. None if the second is the earlier
    /// one, or if that cannot be told.
    fn between(&self, from: E, to: E) -> Option<Nanos>;

    /// The event is not needed any more. It can be one of a context that is gone.
    fn give_back(&self, event: E);
}
