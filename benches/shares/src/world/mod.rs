//! One machine on a virtual clock, and the tasks that use it.
//!
//! A task is a thread of a simulated process, written as an `async` function: it waits by sleeping until an instant of the
//! virtual clock. Nothing here depends on real time, on other threads or on the order of addresses, so a cell's result is
//! the same on every machine.

mod scheduler;
mod wait;

use std::cell::{Cell, RefCell};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};
use std::pin::Pin;
use std::rc::Rc;

use sim_model::{DeviceConfig, Machine, MachineConfig, Nanos};

pub(crate) use wait::Bell;

/// Number of a simulated process: what is frozen and killed together. Also its pid on the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Pid(pub(crate) u32);

impl Pid {
    /// The world itself: judges and people who change limits.
    pub(crate) const NOBODY: Self = Self(0);
}

/// A wake-up that is to come. Of two at one instant, the one that was asked for first comes first.
type Due = Reverse<(Nanos, u64, TaskId, u64)>;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct TaskId(u64);

/// A thread of a simulated process.
struct Task {
    id: TaskId,
    of: Pid,
    future: Pin<Box<dyn Future<Output = ()>>>,
}

/// A machine, its clock, and what is to happen.
pub(crate) struct World {
    machine: RefCell<Machine>,
    now: Cell<Nanos>,
    due: RefCell<BinaryHeap<Due>>,
    /// Which task runs, and how often it ran: a wake-up that was asked for before it last ran is void.
    current: Cell<(TaskId, u64)>,
    serial: Cell<u64>,
    newcomers: RefCell<Vec<Task>>,
    frozen: RefCell<BTreeMap<Pid, Nanos>>,
    dead: RefCell<BTreeSet<Pid>>,
}

impl World {
    /// A machine of one default card with so many multiprocessors.
    pub(crate) fn new(multiprocessors: u32) -> Rc<Self> {
        let card = DeviceConfig { multiprocessors, ..DeviceConfig::default() };
        let config = MachineConfig { driver_version: None, devices: vec![card] };
        // A machine that was up for a while: an instant of zero means "never" to some.
        let now = Nanos::from_millis(3_600_000);
        let machine = Machine::new(&config, now).expect("the default card with other multiprocessors");
        Rc::new(Self {
            machine: RefCell::new(machine),
            now: Cell::new(now),
            due: RefCell::default(),
            current: Cell::new((TaskId(0), 0)),
            serial: Cell::new(0),
            newcomers: RefCell::default(),
            frozen: RefCell::default(),
            dead: RefCell::default(),
        })
    }

    /// The virtual clock.
    pub(crate) fn now(&self) -> Nanos {
        self.now.get()
    }

    /// Asks something of the machine, whose time is [`Self::now`].
    pub(crate) fn machine<R>(&self, ask: impl FnOnce(&mut Machine) -> R) -> R {
        ask(&mut self.machine.borrow_mut())
    }

    /// Starts a thread of a process now.
    pub(crate) fn spawn(&self, of: Pid, future: impl Future<Output = ()> + 'static) {
        let task = Task { id: TaskId(self.next_serial()), of, future: Box::pin(future) };
        self.push(self.now(), task.id, 0);
        self.newcomers.borrow_mut().push(task);
    }

    /// Stops every thread of a process until `thaw`, as SIGSTOP and SIGCONT do. What it has on the device goes on.
    pub(crate) fn freeze(&self, of: Pid, thaw: Nanos) {
        self.frozen.borrow_mut().insert(of, thaw);
    }

    /// Ends a process on the spot: none of its threads runs again, not even its destructors.
    pub(crate) fn kill(&self, of: Pid) {
        self.dead.borrow_mut().insert(of);
    }

    fn next_serial(&self) -> u64 {
        self.serial.set(self.serial.get() + 1);
        self.serial.get()
    }

    fn push(&self, at: Nanos, task: TaskId, run: u64) {
        self.due.borrow_mut().push(Reverse((at, self.next_serial(), task, run)));
    }
}
