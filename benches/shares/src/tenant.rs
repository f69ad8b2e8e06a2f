//! A tenant: a slice of the card with a share, and the processes in it.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use policy::compute::Share;
use shared_region::compute::{FinishWord, GateWord, TrimWords};
use sim_model::{Nanos, Permille};

use crate::limiter::Kind;
use crate::world::{Pid, World};

/// How the machine treats whoever limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Host {
    /// By how much every sleep of a limiter is overslept.
    pub(crate) delay: Nanos,
    /// Whether NVML tells what each process used.
    pub(crate) nvml: bool,
}

/// What a process does, for who divides the card.
#[derive(Default)]
pub(crate) struct Activity {
    pub(crate) launches: Cell<u64>,
    /// Threads that wait now.
    waiting: Cell<u32>,
    /// Waits that ended.
    waits: Cell<u64>,
}

impl Activity {
    /// A thread begins to wait.
    pub(crate) fn begin_wait(&self) {
        self.waiting.set(self.waiting.get() + 1);
    }

    /// A thread has waited.
    pub(crate) fn end_wait(&self) {
        self.waiting.set(self.waiting.get() - 1);
        self.waits.set(self.waits.get() + 1);
    }
}

/// A slice of the card.
pub(crate) struct Tenant {
    pub(crate) world: Rc<World>,
    pub(crate) kind: Kind,
    pub(crate) host: Host,
    /// What the limits page says.
    pub(crate) share: Cell<Permille>,
    /// Whether somebody changes that all the time.
    pub(crate) is_shared_out: Cell<bool>,
    /// Whether a higher priority is active.
    pub(crate) is_gated: Cell<bool>,
    /// Its living processes.
    pub(crate) processes: RefCell<Vec<(Pid, Rc<Activity>)>>,
    /// Another number whenever those are others.
    pub(crate) members: Cell<u64>,
    /// What its processes share in the region.
    pub(crate) finish: FinishWord,
    pub(crate) trim: TrimWords,
    pub(crate) gate: GateWord,
}

impl Tenant {
    /// A slice with a share.
    pub(crate) fn new(world: &Rc<World>, kind: Kind, host: Host, share: Permille) -> Rc<Self> {
        Rc::new(Self {
            world: Rc::clone(world),
            kind,
            host,
            share: Cell::new(share),
            is_shared_out: Cell::default(),
            is_gated: Cell::default(),
            processes: RefCell::default(),
            members: Cell::default(),
            finish: FinishWord::default(),
            trim: TrimWords::default(),
            gate: GateWord::default(),
        })
    }

    /// A process begins.
    pub(crate) fn join(&self, pid: Pid, activity: &Rc<Activity>) {
        self.processes.borrow_mut().push((pid, Rc::clone(activity)));
        self.members.set(self.members.get() + 1);
    }

    /// A process has ended.
    pub(crate) fn leave(&self, pid: Pid) {
        self.processes.borrow_mut().retain(|(other, _)| *other != pid);
        self.members.set(self.members.get() + 1);
    }

    /// The share in force.
    pub(crate) fn share(&self) -> Share {
        let Permille(share) = self.share.get();
        let share = u16::try_from(share).ok().and_then(Share::from_permille).expect("1 to 1000 thousandths");
        if self.is_shared_out.get() { share.min(Share::PACED) } else { share }
    }

    /// Launches so far, waits so far, and whether somebody waits now.
    pub(crate) fn activity(&self) -> (u64, u64, bool) {
        let processes = self.processes.borrow();
        processes.iter().fold((0, 0, false), |(launches, waits, waiting), (_, process)| {
            let is_waiting = waiting || process.waiting.get() > 0;
            (launches + process.launches.get(), waits + process.waits.get(), is_waiting)
        })
    }
}
