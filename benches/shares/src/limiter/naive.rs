//! The simplest limiter that is exact: it waits for each launch, times it, and sleeps for what was too much. It costs every
//! overlap of host and device, of streams, and of launches; it is here for comparison.

use std::cell::RefCell;

use sim_model::{EventId, Nanos, Permille};

use crate::process::{Launch, Process};

/// Pairs of events that are free.
#[derive(Default)]
pub(crate) struct Naive {
    events: RefCell<Vec<(EventId, EventId)>>,
}

impl Naive {
    pub(crate) async fn launch(&self, process: &Process, launch: &Launch<'_>) {
        let free = self.events.borrow_mut().pop();
        let (start, end) = free.unwrap_or_else(|| (process.event(), process.event()));
        process.room(launch.stream, 1).await;
        process.record(launch.stream, start);
        process.submit(launch).await;
        process.room(launch.stream, 1).await;
        process.record(launch.stream, end);
        process.drain(launch.stream).await;
        let took = process.between(start, end).unwrap_or_default();
        self.events.borrow_mut().push((start, end));
        let share = u64::from(process.tenant.share.get().0);
        let rest = took.0 * (u64::from(Permille::WHOLE.0) - share) / share;
        process.oversleep(process.world.now() + Nanos(rest)).await;
    }
}
