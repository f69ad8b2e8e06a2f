//! The owner of balance and priorities among this user's slices: the supervisor of one that asks for either, from the beginning or
//! since `vgpu limits` has made it ask.

use std::env;
use std::fmt;
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use contract::env::{EnvLimits, PRIORITY, Priority};
use contract::limits_page::{Page, SharePolicy};
use monitor::runs::{PageWatch, Run, Runs};
use monitor::shares::{Candidate, Leader};

use super::no_place;
use crate::args::RunArgs;
use crate::failure::Failure;
use crate::say::{of_library, warn};

/// The slice's priority: that of the arguments, else of the environment.
pub(super) fn priority(args: &RunArgs) -> Result<Priority, Failure> {
    let of_environment = || EnvLimits::read(|name| env::var_os(name).filter(|_| name == PRIORITY));
    match args.priority {
        Some(priority) => Ok(priority),
        None => of_environment().map(|env| env.priority()).map_err(|error| Failure::own(of_library(error))),
    }
}

/// Somebody to be the owner, now or later.
#[derive(Debug)]
pub(super) enum Applicant {
    /// The slice asks for what needs one.
    Ready(Candidate),
    /// It does not, until its page is changed.
    Waiting(Runs, PageWatch),
}

/// Somebody to be the owner among the slices in `runs`, of which `slice` is one. `None` where this machine tells of no changes: then
/// only those stand that ask from the beginning, and `vgpu limits` says where nobody does.
pub(super) fn applicant(
    args: &RunArgs,
    priority: Priority,
    slice: &Run,
    runs: Runs,
) -> Result<Option<Applicant>, Failure> {
    if needs_owner(args.policy, priority) {
        return Candidate::new(runs).map(|candidate| Some(Applicant::Ready(candidate))).map_err(no_place);
    }
    Ok(slice.watch().ok().map(|watch| Applicant::Waiting(runs, watch)))
}

/// Whether there has to be an owner for a slice of this policy and priority to be treated so.
pub(crate) fn needs_owner(policy: SharePolicy, priority: Priority) -> bool {
    policy == SharePolicy::Balance || priority != Priority::default()
}

fn asks(page: &Page) -> bool {
    page.entries().iter().any(|entry| needs_owner(entry.policy, entry.priority))
}

impl Applicant {
    /// A candidate, as soon as the slice asks for what needs an owner. `None`, and a line on standard error: there will be none.
    fn candidate(self) -> Option<Candidate> {
        let (runs, watch) = match self {
            Self::Ready(candidate) => return Some(candidate),
            Self::Waiting(runs, watch) => (runs, watch),
        };
        if let Err(error) = watch.wait_until(asks) {
            warn(no_owner(error));
            return None;
        }
        Candidate::new(runs).map_err(|error| warn(no_owner(error))).ok()
    }
}

fn no_owner(error: impl fmt::Display) -> impl fmt::Display {
    format!("balance and priorities have no owner: {error}")
}

/// This process as the owner, or as one that waits to be, until it ends.
#[derive(Debug)]
pub(super) struct Standing {
    leader: Arc<Mutex<Option<Leader>>>,
    again: Sender<Candidate>,
}

impl Standing {
    /// Stands, in a thread of its own.
    pub(super) fn new(applicant: Applicant) -> Self {
        let leader = Arc::new(Mutex::new(None));
        let (again, candidates) = mpsc::channel();
        let leads = Arc::clone(&leader);
        thread::spawn(move || {
            let mut next = applicant.candidate();
            while let Some(candidate) = next {
                match candidate.wait() {
                    Ok(new) => *locked(&leads) = Some(new),
                    Err(error) => return warn(no_owner(error)),
                }
                while let Some(pause) = look(&leads) {
                    thread::sleep(pause);
                }
                next = candidates.recv().ok();
            }
        });
        Self { leader, again }
    }

    /// Does `work`, in which this process may be stopped: somebody else is to be the owner meanwhile.
    pub(super) fn step_back_while<T>(&self, work: impl FnOnce() -> T) -> T {
        let candidate = locked(&self.leader).take().map(Leader::resign);
        let result = work();
        if let Some(candidate) = candidate.and_then(Result::ok) {
            // Fails when the thread has ended, which has said why.
            let _ = self.again.send(candidate);
        }
        result
    }
}

impl Drop for Standing {
    /// Not in the middle of a change, which somebody else would have to end.
    fn drop(&mut self) {
        drop(locked(&self.leader).take());
    }
}

/// Does the owner's work; how long until there is more, if this process still is the owner.
fn look(leader: &Mutex<Option<Leader>>) -> Option<Duration> {
    locked(leader).as_mut().map(Leader::look)
}

fn locked(leader: &Mutex<Option<Leader>>) -> std::sync::MutexGuard<'_, Option<Leader>> {
    leader.lock().unwrap_or_else(PoisonError::into_inner)
}
