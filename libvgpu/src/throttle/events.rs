//! Events of our own, by which the driver tells when work began and ended. The application never sees them.

use super::captures;
use crate::abi::driver::real;
use crate::clock;
use crate::state::undisturbed;
use crate::stream::{Current, Stream};
use core::ptr::null_mut;
use cuda_sys::*;
use policy::compute::Nanos;
use shared_region::BriefLock;
use tracker::launches::{Events, Recorder};
use tracker::{ContextId, Table};

/// An event of a context.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Event {
    handle: CUevent,
    context: ContextId,
}

// SAFETY: the handle of an event, which the driver lets any thread use.
unsafe impl Send for Event {}
// SAFETY: as above.
unsafe impl Sync for Event {}

/// The events of the contexts of one device.
#[derive(Default)]
pub(super) struct Pools(BriefLock<Table<ContextId, Pool>>);

/// The events of one context that nothing needs at the moment. They end with it.
pub(super) struct Pool {
    context: CUcontext,
    unused: Vec<CUevent>,
}

// SAFETY: handles of the driver, which may be used on any thread.
unsafe impl Send for Pool {}

impl Pools {
    /// The context of this handle is called `id` from now on.
    pub(super) fn open(&self, id: ContextId, context: CUcontext) {
        self.0.lock().entry(id).or_insert_with(|| Pool { context, unused: Vec::new() });
    }

    /// The context may be about to end, and its events with it: nobody may use them any more, unless it is opened again.
    pub(super) fn close(&self, id: ContextId) -> Option<Pool> {
        self.0.lock().remove(&id)
    }

    /// The context has not ended.
    pub(super) fn reopen(&self, id: ContextId, pool: Pool) {
        self.0.lock().entry(id).or_insert(pool);
    }

    /// An event of the context, which is created if all that there are are in use. Not while something captures: nobody says
    /// what that would do to it.
    fn take(&self, id: ContextId) -> Option<Event> {
        let (unused, context) = {
            let mut pools = self.0.lock();
            let pool = pools.get_mut(&id)?;
            (pool.unused.pop(), pool.context)
        };
        let handle = unused.or_else(|| {
            if captures::may_be_under_way() { None } else { within(context, create).flatten() }
        })?;
        Some(Event { handle, context: id })
    }

    fn context(&self, event: Event) -> Option<CUcontext> {
        self.0.lock().get(&event.context).map(|pool| pool.context)
    }
}

/// An event that keeps time.
fn create() -> Option<CUevent> {
    const KEEPS_TIME: c_uint = 0;
    let mut event = CUevent(null_mut());
    // SAFETY: `event` is valid for writing.
    let result = undisturbed(|| unsafe { real::cuEventCreate(&raw mut event, KEEPS_TIME) });
    result.is_success().then_some(event)
}

/// Does `work` with `context` current. `None`: that cannot be, as it has ended.
fn within<T>(context: CUcontext, work: impl FnOnce() -> T) -> Option<T> {
    // It had not ended when its pool was there: whoever ends one closes that before.
    let _current = Current::make(context)?;
    Some(work())
}

impl Events<Event> for Pools {
    fn now(&self) -> Nanos {
        clock::monotonic()
    }

    fn is_done(&self, event: Event) -> bool {
        // SAFETY: the event's context has not ended, nor the event.
        let query = || unsafe { real::cuEventQuery(event.handle) };
        let result = self.context(event).and_then(|context| within(context, query));
        result != Some(CUresult::NOT_READY)
    }

    fn between(&self, from: Event, to: Event) -> Option<Nanos> {
        if from.context != to.context {
            return None;
        }
        let mut milliseconds = 0.0;
        // SAFETY: the events' context has not ended, nor the events; `milliseconds` is valid for writing.
        let ask = || unsafe { real::cuEventElapsedTime(&raw mut milliseconds, from.handle, to.handle) };
        let told = within(self.context(from)?, ask)?;
        told.is_success().then(|| nanos(milliseconds)).flatten()
    }

    fn give_back(&self, event: Event) {
        if let Some(pool) = self.0.lock().get_mut(&event.context) {
            pool.unused.push(event.handle);
        }
    }
}

/// `None` for a negative time.
fn nanos(milliseconds: f32) -> Option<Nanos> {
    let nanos = f64::from(milliseconds) * 1e6;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "not negative, and rounds to the nearest there is"
    )]
    (nanos >= 0.0).then_some(Nanos(nanos as u64))
}

/// Records events around a launch.
pub(super) struct Around<'a> {
    pools: &'a Pools,
    context: ContextId,
    stream: Stream,
}

impl<'a> Around<'a> {
    pub(super) const fn new(pools: &'a Pools, context: ContextId, stream: Stream) -> Self {
        Self { pools, context, stream }
    }

    /// Whether what is done in the stream is done by the device, and at once: it does not capture, and this thread may use
    /// the driver, which in a function that a stream calls it may not. Asked each time: another thread may have begun a capture
    /// since, while this one waited for its time or for room in the stream.
    pub(super) fn is_open(&self) -> bool {
        self.stream.is_open()
    }

    fn record_in_stream(&self) -> Option<Event> {
        if !self.is_open() {
            return None;
        }
        let event = self.pools.take(self.context)?;
        if self.stream.record(event.handle).is_success() {
            return Some(event);
        }
        self.pools.give_back(event);
        None
    }
}

impl Recorder<Event> for Around<'_> {
    fn now(&self) -> Nanos {
        clock::monotonic()
    }

    fn about(&self) -> Nanos {
        clock::coarse()
    }

    fn record(&mut self) -> Option<Event> {
        captures::while_none_begins(|| self.record_in_stream())
    }
}
