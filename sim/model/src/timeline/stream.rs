//! Streams: operations in order, each after what it has to wait for.

use std::collections::VecDeque;

use crate::{ContextId, DeviceIndex, Direction, EventId, HostCallId, Nanos, Permille, ProcessId, StreamId};

/// A point in a stream: complete when that many of its operations are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fence {
    pub(super) stream: StreamId,
    pub(super) sequence: u64,
}

/// How a stream stands to the legacy default stream of its context.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// It is that stream.
    Legacy,
    /// It takes part in its barriers.
    Blocking,
    /// It does not.
    Independent,
}

/// What an operation does once it is at the head of its stream and free to begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// Occupies multiprocessors; `counted` for a kernel, not for a memset.
    Compute { duration: Nanos, sm: Permille, memory: Permille, counted: bool },
    /// Occupies a copy engine.
    Copy { direction: Direction, duration: Nanos },
    /// Stamps an event.
    Record(EventId),
    /// Is done as soon as it may begin.
    Wait,
    /// Is done when the host says so.
    Host(HostCallId),
}

impl Step {
    /// The least time it takes.
    fn duration(self) -> Nanos {
        match self {
            Self::Compute { duration, .. } | Self::Copy { duration, .. } => duration,
            Self::Record(_) | Self::Wait | Self::Host(_) => Nanos::ZERO,
        }
    }
}

/// An operation in a stream.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) step: Step,
    /// What has to be complete before it begins, besides everything before it.
    pub(super) after: Vec<Fence>,
}

/// A stream.
#[derive(Clone, Debug)]
pub(super) struct Stream {
    pub(super) process: ProcessId,
    pub(super) context: ContextId,
    pub(super) device: DeviceIndex,
    pub(super) role: Role,
    /// Operations not yet complete.
    pub(super) queue: VecDeque<Entry>,
    /// Operations ever complete.
    pub(super) completed: u64,
    /// Whether the first of the queue is under way on an engine or on the host.
    pub(super) under_way: bool,
    /// Destroyed by its owner, and gone once it is empty.
    pub(super) retiring: bool,
    /// Streams to look at again whenever an operation of this one completes.
    pub(super) waiters: Vec<StreamId>,
}

impl Stream {
    pub(super) fn new(process: ProcessId, context: ContextId, device: DeviceIndex, role: Role) -> Self {
        let (queue, waiters) = (VecDeque::new(), Vec::new());
        Self {
            process,
            context,
            device,
            role,
            queue,
            completed: 0,
            under_way: false,
            retiring: false,
            waiters,
        }
    }

    /// Number of the last operation that was ever put in.
    pub(super) fn issued(&self) -> u64 {
        self.completed + u64::try_from(self.queue.len()).unwrap_or(u64::MAX)
    }

    /// The least time that the operations up to a number take, of which the first has `head` left if it is under way.
    pub(super) fn least_time(&self, sequence: u64, head: Option<Nanos>) -> Nanos {
        let count = usize::try_from(sequence.saturating_sub(self.completed)).unwrap_or(usize::MAX);
        let mut least = Nanos::ZERO;
        for (at, entry) in self.queue.iter().take(count).enumerate() {
            let span = head.filter(|_| at == 0).unwrap_or_else(|| entry.step.duration());
            least = Nanos(least.0.saturating_add(span.0));
        }
        least
    }
}
