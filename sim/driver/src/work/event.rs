//! Events.

use std::sync::{Arc, Mutex};

use cuda_sys::CUresult;
use sim_kernel::{ContextId, EventFlags, EventId};

use super::{Capture, Seen};
use crate::context::Context;
use crate::handles::lock;
use crate::outcome::Outcome;
use crate::process::{Driver, code};

/// `CU_EVENT_DISABLE_TIMING`.
const DISABLE_TIMING: u32 = 2;
/// `CU_EVENT_INTERPROCESS`, which must come with `CU_EVENT_DISABLE_TIMING`.
const INTERPROCESS: u32 = 4;
/// With `CU_EVENT_BLOCKING_SYNC`, which makes no difference here: every wait sleeps.
const KNOWN: u32 = 1 | DISABLE_TIMING | INTERPROCESS;

/// An event.
#[derive(Debug)]
pub(crate) struct Event {
    /// What the machine calls it.
    pub(crate) id: EventId,
    /// The life of its context that it belongs to.
    pub(crate) context: ContextId,
    /// Its context.
    pub(crate) owner: Arc<Context>,
    /// The capture that it was last recorded in, and what comes before it there.
    pub(crate) captured: Mutex<Option<(Arc<Capture>, Seen)>>,
    /// Whether other processes can open it.
    pub(crate) is_shareable: bool,
}

impl Event {
    /// Creates an event.
    pub(crate) fn create(driver: &Driver, owner: Arc<Context>, flags: u32) -> Outcome<usize> {
        if flags & !KNOWN != 0 || flags & (INTERPROCESS | DISABLE_TIMING) == INTERPROCESS {
            return Err(CUresult::INVALID_VALUE);
        }
        let context = owner.life()?.id;
        let timing = flags & DISABLE_TIMING == 0;
        let id = driver.client.create_event(context, EventFlags { timing }).map_err(code)?;
        let is_shareable = flags & INTERPROCESS != 0;
        let captured = Mutex::default();
        Ok(driver.events.insert(Self { id, context, owner, captured, is_shareable }))
    }

    /// Takes in an event of another process.
    pub(crate) fn open(driver: &Driver, owner: Arc<Context>, id: EventId) -> Outcome<usize> {
        let context = owner.life()?.id;
        driver.client.open_event(id).map_err(code)?;
        let captured = Mutex::default();
        Ok(driver.events.insert(Self { id, context, owner, captured, is_shareable: false }))
    }

    /// The event of a handle.
    pub(crate) fn of(driver: &Driver, handle: usize) -> Outcome<Arc<Self>> {
        let event = driver.events.get(handle).ok_or(CUresult::INVALID_HANDLE)?;
        event.owner.check()?;
        Ok(event)
    }

    /// The capture that it stands for, if that runs, and what comes before it there.
    pub(crate) fn capture(&self) -> Option<(Arc<Capture>, Seen)> {
        lock(&self.captured).clone().filter(|(capture, _)| capture.is_running())
    }

    /// Refuses to say how far it is while it is a part of a capture, and breaks that off.
    pub(crate) fn refuse_capture(&self) -> Outcome {
        self.capture().map_or(Ok(()), |(capture, _)| {
            capture.spoil();
            Err(CUresult::CAPTURED_EVENT)
        })
    }
}
