//! What a thread has in hand: of each device a lease of its time, and which streams it has launched in lately.

use super::events::{Around, Event};
use super::lane::Lane;
use crate::stream::{DefaultStream, Stream, current_context};
use core::cell::RefCell;
use core::sync::atomic::{AtomicU64, Ordering::Relaxed};
use policy::compute::Nanos;
use tracker::golden_product;
use tracker::launches::Lease;

/// As many streams as a framework has of a device, of which a thread may launch in each by turns.
const LATELY: usize = 32;

/// What one thread has in hand.
pub(super) struct Lanes {
    /// No other thread of this process has it.
    number: u64,
    leases: Vec<Held>,
    /// Which of the leases was used last.
    last: usize,
    /// Each in one place, by the stream's handle.
    lately: [Option<Seen>; LATELY],
}

/// The lease of a device, and the lane that it was used in last.
pub(super) struct Held {
    pub(super) lane: Lane,
    view: View,
    pub(super) lease: Lease<Event>,
}

/// A lane, and what led to it.
struct Seen {
    view: View,
    lane: Lane,
}

/// What a stream's handle means depends on it.
#[derive(Clone, Copy, PartialEq, Eq)]
struct View {
    /// The current context, where the stream is a default one.
    context: usize,
    /// How many streams and contexts had ended.
    ended: u64,
}

/// How many streams and contexts have ended or were about to: while that stays the same, a handle means what it meant.
static ENDED: AtomicU64 = AtomicU64::new(0);

/// A stream or a context is about to end, or has.
pub(super) fn something_ends() {
    ENDED.fetch_add(1, Relaxed);
}

thread_local! {
    /// Handed back when the thread ends.
    static LANES: RefCell<Option<Box<Lanes>>> = const { RefCell::new(None) };
}

/// Does `work` with what this thread has in hand. `None`: the thread is ending, or is in here already, as in a signal handler
/// that launches.
#[inline]
pub(super) fn with<T>(work: impl FnOnce(&mut Lanes) -> T) -> Option<T> {
    let lanes = |lanes: &RefCell<Option<Box<Lanes>>>| {
        let mut lanes = lanes.try_borrow_mut().ok()?;
        Some(work(lanes.get_or_insert_with(Box::default)))
    };
    LANES.try_with(lanes).ok().flatten()
}

/// Does `work` with each lease that this thread has.
pub(super) fn each(mut work: impl FnMut(&mut Held)) {
    let held = |lanes: &RefCell<Option<Box<Lanes>>>| {
        let mut lanes = lanes.try_borrow_mut().ok()?;
        lanes.as_mut()?.leases.iter_mut().filter(|held| held.lane.is_current()).for_each(&mut work);
        Some(())
    };
    // A thread that is ending, or in here already, has nothing in hand.
    let _done = LANES.try_with(held);
}

/// Does `work` with the lease that this thread used last.
pub(super) fn latest<T>(work: impl FnOnce(&mut Held) -> T) -> Option<T> {
    let held = |lanes: &RefCell<Option<Box<Lanes>>>| {
        let mut lanes = lanes.try_borrow_mut().ok()?;
        let lanes = lanes.as_mut()?;
        lanes.leases.get_mut(lanes.last).filter(|held| held.lane.is_current()).map(work)
    };
    LANES.try_with(held).ok().flatten()
}

impl Default for Lanes {
    fn default() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        Self {
            number: NEXT.fetch_add(1, Relaxed),
            leases: Vec::new(),
            last: 0,
            lately: [const { None }; LATELY],
        }
    }
}

impl Lanes {
    /// The lease for a launch in `stream`. `None` where launches are not measured.
    #[inline]
    pub(super) fn held(&mut self, stream: Stream) -> Option<&mut Held> {
        let view = View::now(stream)?;
        // Most threads launch in one stream, again and again.
        let is_last =
            self.leases.get(self.last).is_some_and(|held| held.lane.is(stream) && held.view == view);
        if !is_last {
            self.change_to(stream, view)?;
        }
        self.leases.get_mut(self.last)
    }

    #[inline(never)]
    fn change_to(&mut self, stream: Stream, view: View) -> Option<()> {
        let lane = self.lane(stream, view)?;
        let same_device = |held: &Held| core::ptr::eq(held.lane.metered, lane.metered);
        let known = self.leases.iter().position(same_device);
        self.last = known.unwrap_or_else(|| self.take_up(lane, view));
        let held = self.leases.get_mut(self.last)?;
        (held.lane, held.view) = (lane, view);
        Some(())
    }

    /// The place of a new lease.
    #[cold]
    fn take_up(&mut self, lane: Lane, view: View) -> usize {
        self.leases.retain(|held| held.lane.is_current());
        self.leases.push(Held { lane, view, lease: Lease::default() });
        self.leases.len() - 1
    }

    /// Those for parts of one launch, each with its part: on each device one.
    pub(super) fn held_together<'l, T>(
        &'l mut self,
        parts: &'l [T],
        stream: impl Fn(&T) -> Stream,
    ) -> impl Iterator<Item = (&'l mut Held, &'l T)> {
        let places: Vec<_> = parts.iter().map(|part| self.held(stream(part)).map(|held| held.lane)).collect();
        self.leases.iter_mut().filter_map(move |held| {
            let is_here =
                |lane: &Option<Lane>| lane.is_some_and(|lane| core::ptr::eq(lane.metered, held.lane.metered));
            let place = places.iter().position(is_here)?;
            Some((held, parts.get(place)?))
        })
    }

    fn lane(&mut self, stream: Stream, view: View) -> Option<Lane> {
        let is_it = |seen: &&Seen| seen.lane.is(stream) && seen.view == view;
        let known = self.lately.get(place(stream))?.as_ref().filter(is_it).map(|seen| seen.lane);
        known.or_else(|| self.find(stream, view))
    }

    #[cold]
    fn find(&mut self, stream: Stream, view: View) -> Option<Lane> {
        let lane = Lane::find(stream, self.number)?;
        *self.lately.get_mut(place(stream))? = Some(Seen { view, lane });
        Some(lane)
    }
}

impl View {
    /// Of `stream`, now. `None`: it is a default one, and there is no context.
    #[inline]
    fn now(stream: Stream) -> Option<Self> {
        let ended = ENDED.load(Relaxed);
        let context = if stream.default().is_some() { current_context()?.0 as usize } else { 0 };
        Some(Self { context, ended })
    }
}

/// Where a lane is remembered.
#[inline]
fn place(stream: Stream) -> usize {
    let number = golden_product(stream.handle().0 as u64) >> (u64::BITS - LATELY.ilog2());
    usize::try_from(number).unwrap_or(0)
}

impl Held {
    /// Ends the measurement that is under way, as this thread is about to wait.
    pub(super) fn end_epoch(&mut self) {
        let Lane { metered, stream, id, .. } = self.lane;
        let mut around = Around::new(&metered.pools, id.context, stream);
        metered.throttle.end_epoch(&mut self.lease, id, &mut around);
    }

    /// This thread is about to wait for all that it has launched. Whether it is to say for how long it [has](Self::has_waited).
    pub(super) fn begins_to_wait(&mut self) -> bool {
        self.lane.metered.throttle.begins_to_wait(&mut self.lease)
    }

    /// By about `now`, this thread has been waiting for so long.
    pub(super) fn has_waited(&mut self, now: Nanos, blocked: Nanos) {
        let Lane { metered, member, .. } = self.lane;
        metered.throttle.has_waited(&mut self.lease, now, blocked);
        metered.see_to_it(member);
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        // A child has a copy of what its parent's thread had in hand.
        if self.lane.is_current() {
            self.lane.metered.throttle.retire(&mut self.lease);
            if self.lane.stream.default() == Some(DefaultStream::PerThread) {
                self.lane.metered.throttle.forget_stream(self.lane.id);
            }
        }
    }
}
