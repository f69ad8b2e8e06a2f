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

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::Duration;

use contract::Permille;
use policy::compute::{Nanos, Share};

use division::Users;
pub use leader::{Candidate, Leader, has_owner, now};
pub use policy::compute::balance::PERIOD;
use shared_region::Writers;
use slice::Slice;

/// How often it looks at a slice on whose GPUs nobody does anything. Who begins there has its own share meanwhile, and what others
/// leave as soon as that is seen: within the second in which every change is followed.
pub const IDLE_PERIOD: Nanos = Nanos::from_millis(250);

/// Where a slice has its files.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The limits page.
    pub limits: PathBuf,
    /// The accounting region, which may not be there yet.
    pub region: PathBuf,
}

/// What the owner knows of the slices.
#[derive(Debug)]
pub struct Owner {
    slices: BTreeMap<Place, Slice>,
    writers: Writers,
    /// How much of each GPU there is for them.
    whole: Share,
}

impl Default for Owner {
    fn default() -> Self {
        Self { slices: BTreeMap::new(), writers: Writers::default(), whole: Share::FULL }
    }
}

impl Owner {
    /// One whose program alone writes the slices' pages: no lock is taken, and nobody who may read a page can keep it as it is.
    #[must_use]
    pub fn alone() -> Self {
        Self { writers: Writers::Alone, ..Self::default() }
    }

    /// Makes it responsible for the slices in these places, and for no others. Whether the page of each could be opened: one that is
    /// being made may have none yet, which is to be tried again. A page that was replaced is opened anew.
    pub fn adopt(&mut self, places: &[Place]) -> bool {
        self.slices.retain(|place, slice| places.contains(place) && slice.is_current());
        for place in places {
            if !self.slices.contains_key(place)
                && let Ok(slice) = Slice::open(place, self.writers)
            {
                self.slices.insert(place.clone(), slice);
            }
        }
        self.slices.len() == places.len()
    }

    /// Divides so much of each GPU, from the next look on: all of it, until something else is said. What slices are entitled to they have
    /// in any case.
    pub fn set_whole(&mut self, whole: Permille) {
        self.whole = Share::from_permille(whole.get()).unwrap_or(Share::FULL);
    }

    /// [Looks](Self::look), at this moment.
    pub fn look_now(&mut self) -> Option<Duration> {
        self.look(now()).map(|Nanos(pause)| Duration::from_nanos(pause))
    }

    /// Looks at the slices at `now`, by `CLOCK_MONOTONIC`, and allows each what it is to have until the next look. How long until that: a
    /// [`PERIOD`], or an [`IDLE_PERIOD`] while nobody does anything. `None` when no page asks for balance or for a priority over
    /// others: then there is nothing to decide before a page is changed, or slices come or go.
    pub fn look(&mut self, now: Nanos) -> Option<Nanos> {
        self.slices.values_mut().for_each(Slice::read_page);
        let mut slices: Vec<&mut Slice> = self.slices.values_mut().collect();
        let users = division::users(&slices);
        let (contested, settled): (Users, Users) =
            users.into_iter().partition(|(_, users)| division::needs_owner(users, &slices));
        settled.values().flatten().for_each(|(slice, entry)| slices[*slice].allow_nothing(*entry));
        let watched: BTreeSet<usize> = contested.values().flatten().map(|(slice, _)| *slice).collect();
        let beside_work = division::beside_work(&contested, &slices);
        for (place, slice) in slices.iter_mut().enumerate() {
            if !watched.contains(&place) {
                slice.forget();
            } else if beside_work.contains(&place) || slice.is_due(now) {
                slice.look(now);
            }
        }
        for (gpu, users) in &contested {
            division::divide(*gpu, users, &slices, self.whole, now);
        }
        let is_active = slices.iter().any(|slice| slice.is_active());
        (!contested.is_empty()).then_some(if is_active { PERIOD } else { IDLE_PERIOD })
    }
}
