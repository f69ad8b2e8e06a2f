//! Answers: now, or when something is done.

use std::os::fd::OwnedFd;

use sim_model::{Operation, Refusal, StreamId, Wait};

use crate::protocol::Call;
use crate::protocol::frame::{self, Malformed};

/// What becomes of a request.
#[derive(Debug)]
pub(super) enum Answer {
    /// This frame is the answer.
    Now(Vec<u8>),
    /// This frame is the answer, and a descriptor comes with it.
    With(Vec<u8>, OwnedFd),
    /// The answer is given when this is met.
    When(Condition),
}

/// What an answer waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Condition {
    /// That work is complete.
    Complete(Wait),
    /// That a stream has room for an operation.
    Room(StreamId, Operation),
    /// That a host function is due.
    HostCall,
}

/// The frame that answers a call.
pub(super) fn now<C: Call>(result: Result<C::Reply, Refusal>) -> Result<Vec<u8>, Malformed> {
    frame::encode(&result)
}

/// The frame that refuses a call, whichever it was.
pub(super) fn refuse(refusal: Refusal) -> Result<Vec<u8>, Malformed> {
    frame::encode(&Err::<(), _>(refusal))
}
