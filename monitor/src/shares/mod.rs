//! The owner of balance and priorities: it looks at what every slice does with the GPUs, and writes what each is allowed at the
//! moment into the slices' limits pages.
//!
//! One process does this for all slices in a place: the supervisor of one of them, or the node agent. The arithmetic is
//! `policy::compute::balance`. What it reads in regions is a tenant's to write, and moves no more than what is left over: a slice
//! that lies about what it wants never takes what another is entitled to. If nobody is the owner any more, every slice has its own
//! share a second later.

mod division;
mod leader;
mod processes;
mod slice;

use std::collections::BTreeMap;
use std::path::PathBuf;

use policy::compute::Nanos;

pub use leader::{Candidate, Leader, has_owner};
pub use policy::compute::balance::PERIOD;
use slice::Slice;

/// Where a slice has its files.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The limits page.
    pub limits: PathBuf,
    /// The accounting region, which may not be there yet.
    pub region: PathBuf,
}

/// What the owner knows of the slices.
#[derive(Debug, Default)]
pub struct Owner {
    slices: BTreeMap<Place, Slice>,
    /// When it last looked.
    last: Option<Nanos>,
}

impl Owner {
    /// Makes it responsible for the slices in these places, and for no others. Whether the page of each could be opened: one that is
    /// being made may have none yet, which is to be tried again.
    pub fn adopt(&mut self, places: &[Place]) -> bool {
        self.slices.retain(|place, _| places.contains(place));
        for place in places {
            if !self.slices.contains_key(place)
                && let Ok(slice) = Slice::open(place)
            {
                self.slices.insert(place.clone(), slice);
            }
        }
        self.slices.len() == places.len()
    }

    /// Looks at every slice at `now`, by `CLOCK_MONOTONIC`, and allows each what it is to have until the next look. How long until
    /// that: a [`PERIOD`], or two while nobody does anything.
    pub fn look(&mut self, now: Nanos) -> Nanos {
        let wall = self.last.map_or(PERIOD, |last| now.saturating_sub(last));
        self.last = Some(now);
        self.slices.values_mut().for_each(|slice| slice.look(wall));
        let mut slices: Vec<&mut Slice> = self.slices.values_mut().collect();
        division::divide(&mut slices, now);
        let is_active = self.slices.values().any(Slice::is_active);
        if is_active { PERIOD } else { PERIOD.saturating_add(PERIOD) }
    }
}
