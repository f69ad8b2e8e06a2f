//! A node and its devices.

use crate::amount::Amount;
use crate::links::Links;
use crate::refusal::Obstacle;

/// Whether a device may be given out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum State {
    /// It may.
    Usable,
    /// Not now.
    Unhealthy,
    /// Not as a whole: it is divided into instances.
    Mig,
}

/// One device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Device {
    /// Its identity.
    pub uuid: String,
    /// Its product name.
    pub model: String,
    /// What may be claimed of it, all claims together. More than it has where it is oversubscribed.
    pub capacity: Amount,
    /// What is claimed of it.
    pub used: Amount,
    /// The NUMA node that it is attached to, where that is known.
    pub numa: Option<u32>,
    /// Whether it may be given out.
    pub state: State,
}

impl Device {
    /// Whether there is room for `need` beside what is claimed.
    pub(crate) fn admits(&self, need: Amount) -> Result<(), Obstacle> {
        match self.state {
            State::Unhealthy => Err(Obstacle::Unhealthy),
            State::Mig => Err(Obstacle::Mig),
            State::Usable => need.fits_beside(self.used, self.capacity),
        }
    }
}

/// A node with its devices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// In the node's order.
    pub devices: Vec<Device>,
    /// How they are connected.
    pub links: Links,
    /// MiB in one unit in which pods ask for memory.
    pub memory_factor: u64,
    /// Whether more memory is given out than there is.
    pub is_memory_virtual: bool,
}
