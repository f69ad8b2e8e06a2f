//! Balance and priorities among the containers of this node: the agent is their owner.
//!
//! What is left over of each GPU is divided many times a second, in a thread of its own: a disk or a GPU that hangs stops no
//! division, and no division stops the agent. The thread sleeps while no container asks for anything that has to be divided.

use std::collections::BTreeSet;
use std::io;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use contract::Permille;
use monitor::shares::{Owner, Place};
use tokio::sync::watch;

use crate::settings::node::NodeSettings;
use crate::settings::scaling::Scaling;

/// What is to be divided among whom.
struct Terms {
    places: BTreeSet<Place>,
    whole: Permille,
}

/// The thread that divides, until this is dropped.
#[derive(Debug)]
pub struct Divider {
    terms: Sender<Terms>,
}

impl Divider {
    /// Starts the thread, which has nothing to divide yet.
    ///
    /// # Errors
    /// There is no thread to be had.
    pub fn start() -> io::Result<Self> {
        let (sender, terms) = channel();
        thread::Builder::new().name("shares".to_owned()).spawn(move || divide(&terms))?;
        Ok(Self { terms: sender })
    }

    /// Divides among the slices in `places`, by what `settings` say, as long as both are told and the thread lives.
    pub async fn follow(
        &self,
        mut places: watch::Receiver<BTreeSet<Place>>,
        mut settings: watch::Receiver<NodeSettings>,
    ) {
        loop {
            let whole = whole(settings.borrow_and_update().cores_scaling);
            let terms = Terms { places: places.borrow_and_update().clone(), whole };
            if self.terms.send(terms).is_err() {
                return;
            }
            let told = tokio::select! { told = places.changed() => told, told = settings.changed() => told };
            if told.is_err() {
                return;
            }
        }
    }
}

/// How much of a GPU there is to divide: less than all of it where less is given out. More is not there, whatever is given out.
fn whole(scaling: Scaling) -> Permille {
    u16::try_from(scaling.of(1000)).ok().and_then(Permille::new).unwrap_or(Permille::ALL)
}

/// What the thread does.
fn divide(terms: &Receiver<Terms>) {
    let mut owner = Owner::alone();
    let (mut places, mut tried, mut pause) = (Vec::new(), Tried::default(), None);
    loop {
        match wait(terms, pause) {
            Ok(told) => {
                places = told.places.into_iter().collect();
                owner.set_whole(told.whole);
                tried = Tried::now(owner.adopt(&places));
            }
            Err(RecvTimeoutError::Timeout) if tried.is_due() => tried = Tried::now(owner.adopt(&places)),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return,
        }
        pause = [owner.look_now(), tried.pause()].into_iter().flatten().min();
    }
}

/// Between two attempts to open pages, where one could not be opened: it is not there yet, or a container has a lease on it.
const AGAIN: Duration = Duration::from_secs(1);

/// When pages were last opened, if not all of them could be.
#[derive(Clone, Copy, Default)]
struct Tried(Option<Instant>);

impl Tried {
    fn now(is_complete: bool) -> Self {
        Self((!is_complete).then(Instant::now))
    }

    fn pause(self) -> Option<Duration> {
        self.0.map(|tried| AGAIN.saturating_sub(tried.elapsed()))
    }

    fn is_due(self) -> bool {
        self.pause().is_some_and(|pause| pause.is_zero())
    }
}

fn wait(terms: &Receiver<Terms>, pause: Option<Duration>) -> Result<Terms, RecvTimeoutError> {
    match pause {
        Some(pause) => terms.recv_timeout(pause),
        None => terms.recv().map_err(|_| RecvTimeoutError::Disconnected),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_than_all_of_a_gpu_is_not_divided_and_what_is_not_given_out_is_kept_back() {
        let of = |value| whole(Scaling::new(value).unwrap()).get();
        assert_eq!([of(0.001), of(0.5), of(1.0), of(2.0), of(10.0)], [1, 500, 1000, 1000, 1000]);
    }
}
