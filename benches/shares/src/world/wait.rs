//! How a task waits.

use std::cell::Cell;
use std::future::poll_fn;
use std::task::Poll;

use sim_model::{Nanos, ProcessId, StreamId, Wait};

use super::{TaskId, World};

/// What wakes one sleeper before its time.
#[derive(Default)]
pub(crate) struct Bell {
    rung: Cell<bool>,
    sleeper: Cell<Option<(TaskId, u64)>>,
}

impl World {
    /// Sleeps until an instant; an instant in the past is no sleep.
    pub(crate) fn sleep_until(&self, until: Nanos) -> impl Future<Output = ()> {
        poll_fn(move |_| {
            if self.now() >= until {
                return Poll::Ready(());
            }
            let (task, run) = self.current.get();
            self.push(until, task, run);
            Poll::Pending
        })
    }

    /// Sleeps for so long.
    pub(crate) async fn sleep(&self, span: Nanos) {
        self.sleep_until(self.now() + span).await;
    }

    /// Sleeps until an instant, if there is one, or until the bell rings.
    pub(crate) async fn sleep_until_bell(&self, until: Option<Nanos>, bell: &Bell) {
        poll_fn(|_| {
            if bell.rung.take() || until.is_some_and(|until| self.now() >= until) {
                bell.sleeper.set(None);
                return Poll::Ready(());
            }
            let (task, run) = self.current.get();
            bell.sleeper.set(Some((task, run)));
            until.into_iter().for_each(|until| self.push(until, task, run));
            Poll::Pending
        })
        .await;
    }

    /// Rings a bell: its sleeper, if any, wakes at `at`, and the next one does not sleep.
    pub(crate) fn ring(&self, bell: &Bell, at: Nanos) {
        if !bell.rung.replace(true)
            && let Some((task, run)) = bell.sleeper.get()
        {
            self.push(at, task, run);
        }
    }

    /// Waits for work of the machine, as a thread does that spins in the driver.
    pub(crate) async fn complete(&self, wait: &Wait) {
        while let Some(next) = self.machine(|machine| {
            let left = !machine.is_complete(wait);
            left.then(|| machine.earliest(wait).max(machine.next_event().unwrap_or_default()))
        }) {
            self.sleep_until(next).await;
        }
    }

    /// Waits until a stream has room for so many operations, as a launcher does inside of the driver.
    pub(crate) async fn room(&self, process: ProcessId, stream: StreamId, operations: usize) {
        if self.machine(|machine| machine.room(process, stream)) >= operations {
            return;
        }
        while let Some(next) = self.machine(|machine| {
            let full = !machine.has_room(stream);
            full.then(|| machine.earliest_room(stream).max(machine.next_event().unwrap_or_default()))
        }) {
            self.sleep_until(next).await;
        }
    }
}
