//! A process of a tenant: one context on the card, streams, and threads that use them.

use std::cell::RefCell;
use std::rc::Rc;

use sim_model::{
    Admission, ContextId, DeviceIndex, EventFlags, EventId, Kernel, Nanos, Operation, ProcessId, StreamId,
    StreamKind,
};

use tracker::launches::Lease;

use crate::limiter::Limiter;
use crate::tenant::{Activity, Tenant};
use crate::world::{Pid, World};

/// Host time of one launch: what `cuLaunchKernel` takes on current machines.
const LAUNCH: Nanos = Nanos::from_micros(3);

/// Host time from the end of the work on the device to the return of a synchronisation.
const SYNC: Nanos = Nanos::from_micros(5);

/// A process with a context.
pub(crate) struct Process {
    pub(crate) world: Rc<World>,
    pub(crate) tenant: Rc<Tenant>,
    pub(crate) pid: Pid,
    pub(crate) limiter: Limiter,
    gpu: ProcessId,
    context: ContextId,
    legacy: StreamId,
    activity: Rc<Activity>,
    /// How long each request took, of a server.
    pub(crate) served: RefCell<Vec<Nanos>>,
}

/// One thread of a process.
pub(crate) struct Thread {
    pub(crate) process: Rc<Process>,
    lease: Lease<EventId>,
}

/// What one call launches: a kernel, or the kernels of a graph.
#[derive(Clone, Copy)]
pub(crate) struct Launch<'a> {
    pub(crate) stream: StreamId,
    /// What a limiter can know it by: the function and the shape of the launch, or the executable graph.
    pub(crate) key: u64,
    pub(crate) kernels: &'a [Kernel],
}

impl Process {
    /// Begins a process of a tenant.
    pub(crate) fn start(tenant: &Rc<Tenant>, pid: Pid) -> Rc<Self> {
        let (world, card) = (Rc::clone(&tenant.world), DeviceIndex(0));
        let (gpu, context) = world.machine(|machine| {
            let gpu = machine.attach(pid.0);
            (gpu, machine.create_context(gpu, card).expect("the card has room for a context"))
        });
        let process = Rc::new(Self {
            limiter: Limiter::new(tenant.kind),
            tenant: Rc::clone(tenant),
            world,
            pid,
            gpu,
            context: context.id,
            legacy: context.legacy_stream,
            activity: Rc::default(),
            served: RefCell::default(),
        });
        tenant.join(pid, &process.activity);
        process
    }

    /// Starts a thread.
    pub(crate) fn spawn<F: Future<Output = ()> + 'static>(self: &Rc<Self>, run: impl FnOnce(Thread) -> F) {
        let thread = Thread { process: Rc::clone(self), lease: Lease::default() };
        self.world.spawn(self.pid, run(thread));
    }

    /// Kills the process where it is. The driver drops what it had on the device.
    pub(crate) fn end(&self) {
        self.world.kill(self.pid);
        self.tenant.leave(self.pid);
        self.world.machine(|machine| machine.detach(self.gpu));
    }

    /// The legacy default stream.
    pub(crate) fn default_stream(&self) -> StreamId {
        self.legacy
    }

    /// A new stream.
    pub(crate) fn stream(&self, kind: StreamKind) -> StreamId {
        self.world
            .machine(|machine| machine.create_stream(self.gpu, self.context, kind))
            .expect("the context is there")
    }

    /// A new event that keeps time.
    pub(crate) fn event(&self) -> EventId {
        self.world
            .machine(|machine| machine.create_event(self.gpu, self.context, EventFlags { timing: true }))
            .expect("the context is there")
    }

    /// Records an event; the stream has room.
    pub(crate) fn record(&self, stream: StreamId, event: EventId) {
        self.enqueue(stream, Operation::Record(event));
    }

    /// Whether the last record of an event is complete.
    pub(crate) fn is_done(&self, event: EventId) -> bool {
        self.world.machine(|machine| {
            machine.wait_for_event(self.gpu, event).is_ok_and(|wait| machine.is_complete(&wait))
        })
    }

    /// Time between two records that are complete.
    pub(crate) fn between(&self, from: EventId, to: EventId) -> Option<Nanos> {
        self.world.machine(|machine| machine.elapsed(self.gpu, from, to).ok())
    }

    /// Waits until a stream has room, as a launch does inside of the driver.
    pub(crate) async fn room(&self, stream: StreamId, operations: usize) {
        self.world.room(self.gpu, stream, operations).await;
    }

    /// Hands kernels to the device.
    pub(crate) async fn submit(&self, launch: &Launch<'_>) {
        for kernel in launch.kernels {
            self.room(launch.stream, 1).await;
            self.enqueue(launch.stream, Operation::Kernel(*kernel));
        }
        self.activity.launches.set(self.activity.launches.get() + 1);
    }

    /// Waits for all that a stream holds now.
    pub(crate) async fn drain(&self, stream: StreamId) {
        let wait = self.world.machine(|machine| machine.wait_for_stream(self.gpu, stream));
        self.world.complete(&wait.expect("streams live as long as their process")).await;
    }

    /// Sleeps as a limiter's thread does: somewhat too long.
    pub(crate) async fn oversleep(&self, until: Nanos) {
        if until > self.world.now() {
            self.activity.begin_wait();
            self.world.sleep_until(until + self.tenant.host.delay).await;
            self.activity.end_wait();
        }
    }

    fn enqueue(&self, stream: StreamId, operation: Operation) {
        let admission = self.world.machine(|machine| machine.enqueue(self.gpu, stream, operation));
        assert_eq!(admission, Ok(Admission::Queued), "room was made before");
    }
}

impl Thread {
    /// Launches, when the limiter lets it.
    pub(crate) async fn launch(&mut self, stream: StreamId, key: u64, kernels: &[Kernel]) {
        self.process.world.sleep(LAUNCH).await;
        self.process.limiter.launch(&self.process, &mut self.lease, &Launch { stream, key, kernels }).await;
    }

    /// Waits for a stream, as `cuStreamSynchronize` does.
    pub(crate) async fn synchronize(&mut self, stream: StreamId) {
        let process = &self.process;
        let is_watched = process.limiter.before_wait(process, &mut self.lease, stream).await;
        let begin = process.world.now();
        process.drain(stream).await;
        if is_watched {
            process.limiter.after_wait(process, &mut self.lease, begin);
        }
        self.process.world.sleep(SYNC).await;
    }

    /// Computes on the host.
    pub(crate) async fn think(&self, span: Nanos) {
        self.process.world.sleep(span).await;
    }
}
