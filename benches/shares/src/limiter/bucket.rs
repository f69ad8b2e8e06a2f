//! The library's own limiter: what decides is `policy` and `tracker`, as in the library. Here is what the library has the
//! driver, the clock and threads for.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use policy::compute::finish::{self, sooner};
use policy::compute::{self, Patience, gate};
use sim_model::{EventId, Nanos, StreamId};
use tracker::ContextId;
use tracker::launches::{
    Admission, Events, Lease, Recorder, StreamId as StreamKey, Terms, Throttle, Trimmer, Work,
};

use super::trim;
use crate::process::{Launch, Process};
use crate::tenant::Tenant;
use crate::world::Bell;

/// Places of a stream that a launch and the records around it take.
const PLACES: usize = 4;

/// The limiter of one process.
#[derive(Default)]
pub(crate) struct Bucket {
    throttle: Throttle<EventId>,
    /// Events that are not in use.
    pool: RefCell<Vec<EventId>>,
    /// Wakes the meter's thread when there is something to meter again.
    meter: Bell,
    /// Whether that thread was started.
    is_metered: Cell<bool>,
    trimmer: RefCell<Trimmer>,
}

/// A stream, for who launches in it.
struct Recording<'a> {
    bucket: &'a Bucket,
    process: &'a Process,
    stream: StreamId,
}

/// The driver, for who asks about events.
struct Driver<'a> {
    bucket: &'a Bucket,
    process: &'a Process,
}

impl Bucket {
    /// Launches as soon as the launch may be.
    pub(crate) async fn launch(
        &self,
        process: &Rc<Process>,
        lease: &mut Lease<EventId>,
        launch: &Launch<'_>,
    ) {
        let (tenant, stream) = (&process.tenant, launch.stream);
        let work = Work { key: launch.key, stream: key(stream), least_cost: compute::Nanos::ZERO };
        process.room(stream, PLACES).await;
        let mut recording = Recording { bucket: self, process, stream };
        let mut patience = Patience::default();
        if tenant.is_shared_out.get() {
            self.throttle.end_epoch(lease, key(stream), &mut recording);
            self.attend(process);
            self.gate(process, &mut patience).await;
            process.room(stream, PLACES).await;
        }
        if let Some(repeat) = self.throttle.repeats(lease, &work) {
            process.submit(launch).await;
            return repeat.after(true);
        }
        loop {
            let admission =
                self.throttle.admit(lease, work, || terms(tenant), &tenant.finish, &mut recording);
            match admission {
                Admission::Granted(mut turn) => {
                    if let Some(start) = turn.start() {
                        self.attend(process);
                        self.wait(process, start, &mut patience).await;
                        process.room(stream, PLACES).await;
                    }
                    turn.before(&mut recording);
                    process.submit(launch).await;
                    process.room(stream, 1).await;
                    turn.after(true, &mut recording);
                    break;
                }
                Admission::Measuring(until) => self.measured(process, until).await,
            }
        }
        self.attend(process);
    }

    /// Waits until `start`, or until a limit that is looser than it was would have let this thread go, or until the launch has
    /// lost its `patience`.
    async fn wait(&self, process: &Process, start: compute::Nanos, patience: &mut Patience) {
        let mut start = start.min(patience.until(compute::Nanos(process.world.now().0)));
        let mut share = process.tenant.share();
        loop {
            let now = compute::Nanos(process.world.now().0);
            if now >= start {
                return;
            }
            process.oversleep(Nanos(start.min(now.saturating_add(finish::LOOK)).0)).await;
            trim::glance(&process.tenant, &self.trimmer);
            let (now, new) = (compute::Nanos(process.world.now().0), process.tenant.share());
            start = sooner(now, start, share, new);
            share = new;
        }
    }

    /// Waits while the gate is closed and the launch has `patience`, but for the one of the slice that goes through now and then.
    async fn gate(&self, process: &Process, patience: &mut Patience) {
        let now = || compute::Nanos(process.world.now().0);
        let end = patience.until(now());
        while now() < end && process.tenant.is_gated.get() {
            let Err(again) = process.tenant.gate.pass(now()) else { return };
            process.oversleep(Nanos(again.min(now().saturating_add(gate::LOOK)).0)).await;
        }
    }

    /// Waits until something that was unfinished is seen to be done, `until` at the latest.
    async fn measured(&self, process: &Rc<Process>, until: compute::Nanos) {
        let (tenant, now) = (&process.tenant, compute::Nanos(process.world.now().0));
        let driver = Driver { bucket: self, process };
        let next = self.throttle.look(now, &driver, &tenant.finish, terms(tenant));
        let next = next.map_or(until, |next| next.min(until));
        process.oversleep(Nanos(next.0)).await;
        let now = compute::Nanos(process.world.now().0);
        self.throttle.look(now, &driver, &tenant.finish, terms(tenant));
    }

    /// The thread is about to wait for a stream.
    pub(crate) async fn before_wait(
        &self,
        process: &Rc<Process>,
        lease: &mut Lease<EventId>,
        stream: StreamId,
    ) -> bool {
        process.room(stream, 1).await;
        self.throttle.end_epoch(lease, key(stream), &mut Recording { bucket: self, process, stream });
        self.attend(process);
        self.throttle.begins_to_wait(lease)
    }

    /// It has waited since `begin`, by a clock that ticks 250 times a second.
    pub(crate) fn after_wait(&self, process: &Rc<Process>, lease: &mut Lease<EventId>, begin: Nanos) {
        let tick = Nanos::from_millis(4).0;
        let now = process.world.now();
        let ticks = now.0 / tick - begin.0 / tick;
        self.throttle.has_waited(lease, compute::Nanos(now.0), compute::Nanos(ticks * tick));
        self.attend(process);
    }

    /// Sees to it that somebody polls, if somebody has to.
    fn attend(&self, process: &Rc<Process>) {
        if !self.throttle.needs_poll() {
            return;
        }
        if self.is_metered.replace(true) {
            let delay = process.tenant.host.delay;
            process.world.ring(&self.meter, process.world.now() + delay);
        } else {
            let own = Rc::clone(process);
            process.world.spawn(process.pid, async move {
                if let super::Limiter::Bucket(bucket) = &own.limiter {
                    bucket.meter(&own).await;
                }
            });
        }
    }

    /// The meter's thread.
    async fn meter(&self, process: &Process) {
        let (tenant, driver) = (&process.tenant, Driver { bucket: self, process });
        loop {
            let now = compute::Nanos(process.world.now().0);
            let next = self.throttle.poll(now, &driver, &tenant.finish, terms(tenant));
            trim::consider(tenant, &self.trimmer, self.throttle.take_counts().busy);
            let wake = next.map(|next| Nanos(next.0) + tenant.host.delay);
            process.world.sleep_until_bell(wake, &self.meter).await;
        }
    }
}

impl Recorder<EventId> for Recording<'_> {
    fn now(&self) -> compute::Nanos {
        compute::Nanos(self.process.world.now().0)
    }

    fn record(&mut self) -> Option<EventId> {
        let free = self.bucket.pool.borrow_mut().pop();
        let event = free.unwrap_or_else(|| self.process.event());
        self.process.record(self.stream, event);
        Some(event)
    }
}

impl Events<EventId> for Driver<'_> {
    fn now(&self) -> compute::Nanos {
        compute::Nanos(self.process.world.now().0)
    }

    fn is_done(&self, event: EventId) -> bool {
        self.process.is_done(event)
    }

    fn between(&self, from: EventId, to: EventId) -> Option<compute::Nanos> {
        let forth = self.process.between(from, to)?;
        // The machine tells zero for the other order.
        let is_forth = forth > Nanos::ZERO || self.process.between(to, from) == Some(Nanos::ZERO);
        is_forth.then_some(compute::Nanos(forth.0))
    }

    fn give_back(&self, event: EventId) {
        self.bucket.pool.borrow_mut().push(event);
    }
}

/// What is in force for a tenant now.
fn terms(tenant: &Tenant) -> Terms {
    Terms { share: tenant.share(), trim: tenant.trim.trim(), is_shared_out: tenant.is_shared_out.get() }
}

fn key(stream: StreamId) -> StreamKey {
    StreamKey { context: ContextId(1), stream: stream.0 }
}
