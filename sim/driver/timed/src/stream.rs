//! Streams and events: until when each has something to do.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::device::{self, Time};
use crate::host;

/// So many launches a stream holds before the next one waits for the first of them.
const HELD: usize = 1024;

/// A stream. All default streams are one, behind everything that was launched before.
#[derive(Debug, Default)]
pub(crate) struct Stream {
    is_default: bool,
    queue: Mutex<Queue>,
}

/// What a stream was given.
#[derive(Debug, Default)]
struct Queue {
    /// When all of it is done.
    done: Time,
    /// When its latest launches are, in order.
    launches: VecDeque<Time>,
}

/// The default stream.
pub(crate) static DEFAULT: Stream =
    Stream { is_default: true, queue: Mutex::new(Queue { done: 0, launches: VecDeque::new() }) };

impl Stream {
    /// Launches work that takes so long.
    pub(crate) fn launch(&self, takes: Duration) {
        let called = device::now();
        let mut queue = self.queue();
        if queue.launches.len() == HELD {
            queue.launches.pop_front().into_iter().for_each(host::spin_until);
        }
        let ready = (host::launches(called.max(device::now())) + host::WAY).max(queue.done);
        queue.done = device::work(ready, takes);
        let done = queue.done;
        queue.launches.push_back(done);
    }

    /// When all that it was given so far is done; an instant in the past, if it is.
    pub(crate) fn done(&self) -> Time {
        if self.is_default { device::done() } else { self.queue().done }
    }

    /// What comes later waits for `time`.
    pub(crate) fn wait_for(&self, time: Time) {
        let mut queue = self.queue();
        queue.done = queue.done.max(time);
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        // Nobody panics while he has it.
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An event: when it comes. It takes the device no time, which on a card it does.
#[derive(Debug, Default)]
pub(crate) struct Event {
    keeps_no_time: bool,
    /// 0: it was not recorded.
    time: AtomicU64,
}

/// Events tell time in steps of half a microsecond.
const STEP: Time = 500;

impl Event {
    pub(crate) fn new(keeps_no_time: bool) -> Self {
        Self { keeps_no_time, time: AtomicU64::new(0) }
    }

    /// It comes when the stream has done all that it was given so far.
    pub(crate) fn record(&self, stream: &Stream) {
        self.time.store(stream.done().max(device::now() + host::WAY), Relaxed);
    }

    /// When it comes.
    pub(crate) fn time(&self) -> Time {
        self.time.load(Relaxed)
    }

    /// Nanoseconds that the device counts from this event to a later one. `None`: one of them keeps no time, or was not recorded.
    pub(crate) fn until(&self, later: &Self) -> Option<i64> {
        let keep_time = !self.keeps_no_time && !later.keeps_no_time && self.time() > 0 && later.time() > 0;
        let [from, to] =
            [self, later].map(|event| i64::try_from(event.time() / STEP * STEP).unwrap_or(i64::MAX));
        keep_time.then(|| to - from)
    }
}
