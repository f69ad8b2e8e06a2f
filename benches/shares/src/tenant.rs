//! A tenant: a slice of the card with a share, and the processes in it.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use shared_region::compute::{FinishWord, TrimWords};
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

/// A slice of the card.
pub(crate) struct Tenant {
    pub(crate) world: Rc<World>,
    pub(crate) kind: Kind,
    pub(crate) host: Host,
    /// What the limits page says.
    pub(crate) share: Cell<Permille>,
    pub(crate) pids: RefCell<Vec<Pid>>,
    /// What its processes share in the region.
    pub(crate) finish: FinishWord,
    pub(crate) trim: TrimWords,
}

impl Tenant {
    /// A slice with a share.
    pub(crate) fn new(world: &Rc<World>, kind: Kind, host: Host, share: Permille) -> Rc<Self> {
        Rc::new(Self {
            world: Rc::clone(world),
            kind,
            host,
            share: Cell::new(share),
            pids: RefCell::default(),
            finish: FinishWord::default(),
            trim: TrimWords::default(),
        })
    }

    /// Sleeps as a limiter's thread does: somewhat too long.
    pub(crate) async fn oversleep(&self, until: Nanos) {
        if until > self.world.now() {
            self.world.sleep_until(until + self.host.delay).await;
        }
    }
}
