//! One run: a card, a tenant or some, and how a share was kept.

use std::cell::RefCell;
use std::rc::Rc;

use sim_model::{Nanos, Permille};

use crate::judge::{Kept, Record, ratio};
use crate::limiter::Kind;
use crate::process::Process;
use crate::tenant::{Host, Tenant};
use crate::workload::Workload;
use crate::world::{Pid, World};

/// Nothing is judged before: the burst that a start may use.
pub(crate) const START: Nanos = Nanos::from_millis(200);

/// A second of the virtual clock.
pub(crate) const SECOND: Nanos = Nanos::from_millis(1000);

/// The circumstances of a cell.
#[derive(Clone, Copy)]
pub(crate) struct Setting {
    pub(crate) kind: Kind,
    pub(crate) host: Host,
    pub(crate) multiprocessors: u32,
}

/// How one process kept its share.
pub(crate) struct Steady {
    pub(crate) kept: Kept,
    /// Kernels completed in a second of it.
    pub(crate) kernels_per_second: f64,
    /// What no window may err by more, for the kernels it has.
    pub(crate) bound: f64,
}

/// A card with tenants on it, and a judge.
pub(crate) struct Scene {
    pub(crate) world: Rc<World>,
    pub(crate) record: Rc<Record>,
    setting: Setting,
    processes: RefCell<Vec<Rc<Process>>>,
}

impl Setting {
    /// A limiter on an H100 whose sleeps are 0.1 ms too long, with NVML.
    pub(crate) const fn usual(kind: Kind) -> Self {
        Self { kind, host: Host { delay: Nanos::from_micros(100), nvml: true }, multiprocessors: 132 }
    }

    /// The same card without a limiter.
    pub(crate) const fn native(self) -> Self {
        Self { kind: Kind::Unlimited, ..self }
    }
}

impl Scene {
    pub(crate) fn new(setting: Setting) -> Self {
        let world = World::new(setting.multiprocessors);
        let record = Record::begin(&world);
        Self { world, record, setting, processes: RefCell::default() }
    }

    /// A new slice with a share.
    pub(crate) fn tenant(&self, share: Permille) -> Rc<Tenant> {
        Tenant::new(&self.world, self.setting.kind, self.setting.host, share)
    }

    /// Starts a process that runs a workload.
    pub(crate) fn start(&self, tenant: &Rc<Tenant>, workload: &Workload) -> Rc<Process> {
        let pid = u32::try_from(self.processes.borrow().len()).map_or(u32::MAX, |count| count + 1);
        let process = Process::start(tenant, Pid(pid));
        (workload.start)(&process);
        self.processes.borrow_mut().push(Rc::clone(&process));
        process
    }

    /// An instant of the world, so long after the beginning.
    pub(crate) fn instant(&self, span: Nanos) -> Nanos {
        self.record.start() + span
    }

    /// Has `act` done so long after the beginning.
    pub(crate) fn after(&self, span: Nanos, act: impl FnOnce() + 'static) {
        let world = Rc::clone(&self.world);
        let at = self.instant(span);
        self.world.spawn(Pid::NOBODY, async move {
            world.sleep_until(at).await;
            act();
        });
    }

    /// Lets time pass until so long after the beginning; a scene is played once.
    pub(crate) fn play(&self, span: Nanos) {
        self.world.run_until(self.instant(span));
    }
}

/// One process that runs a workload for so many seconds, judged against `target` percent.
pub(crate) fn steady(
    setting: Setting,
    workload: &Workload,
    share: Permille,
    target: f64,
    seconds: u64,
) -> Steady {
    let scene = Scene::new(setting);
    let tenant = scene.tenant(share);
    let pids = [scene.start(&tenant, workload).pid];
    let end = START + Nanos(seconds * SECOND.0);
    scene.play(end);
    Steady {
        kept: scene.record.kept(&pids, target, START, end),
        kernels_per_second: scene.record.kernels_per_second(&pids, START, end),
        bound: bound(workload, target),
    }
}

/// What a window of a second may err by: five points, or what its longest kernel does when it straddles the edge.
pub(crate) fn bound(workload: &Workload, target: f64) -> f64 {
    ((100.0 - target) * ratio(workload.longest, SECOND)).max(5.0)
}
