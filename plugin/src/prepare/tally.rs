//! How often containers were prepared, and how often not, by reason.

use std::sync::atomic::{AtomicU64, Ordering};

use super::Fault;
use crate::claims::accept::Refusal;

/// The kinds of reasons, one word each. A closed list, so that what people write into pods makes no new ones.
pub const REASONS: [&str; 12] = [
    "checkpoint",
    "unresolved",
    "unknown_pod",
    "no_claim",
    "bad_claim",
    "wrong_containers",
    "no_such_gpu",
    "unhealthy_gpu",
    "no_room",
    "driver",
    "other_gpus",
    "system",
];

/// The counters.
#[derive(Debug, Default)]
pub struct Tally {
    prepared: AtomicU64,
    failed: [AtomicU64; REASONS.len()],
}

impl Tally {
    /// Counts one answer to kubelet.
    pub(super) fn count(&self, result: Result<(), &Fault>) {
        let counter = match result {
            Ok(()) => Some(&self.prepared),
            Err(fault) => {
                let place = REASONS.iter().position(|reason| *reason == fault.reason());
                place.and_then(|place| self.failed.get(place))
            }
        };
        if let Some(counter) = counter {
            counter.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// How often all went well.
    pub fn prepared(&self) -> u64 {
        self.prepared.load(Ordering::Relaxed)
    }

    /// How often something did not, by reason.
    pub fn failed(&self) -> impl Iterator<Item = (&'static str, u64)> {
        REASONS.into_iter().zip(self.failed.iter().map(|counter| counter.load(Ordering::Relaxed)))
    }
}

impl Fault {
    /// Which of [`REASONS`] it is.
    fn reason(&self) -> &'static str {
        match self {
            Self::Checkpoint(_) => "checkpoint",
            Self::Unresolved(_) => "unresolved",
            Self::UnknownPod(_) => "unknown_pod",
            Self::Refused(refusal) => refusal.reason(),
            Self::Count { .. } => "wrong_containers",
            Self::Driver(_) => "driver",
            Self::OtherGpus { .. } => "other_gpus",
            Self::NoLibrary(_) | Self::Io(_) => "system",
        }
    }
}

impl Refusal {
    fn reason(&self) -> &'static str {
        match self {
            Self::NoClaim(_) => "no_claim",
            Self::Malformed { .. } | Self::OtherPod(_) | Self::OtherNode { .. } => "bad_claim",
            Self::Policy { .. } | Self::Priority { .. } => "bad_claim",
            Self::NoSuchContainer(_) | Self::Count { .. } | Self::Covered(_) => "wrong_containers",
            Self::NoSuchGpu(_) => "no_such_gpu",
            Self::Unhealthy { .. } => "unhealthy_gpu",
            Self::TooMuch(_) => "no_room",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_are_counted_by_what_was_wrong() {
        let tally = Tally::default();
        tally.count(Ok(()));
        let refused = Fault::Refused(Refusal::NoClaim("key".to_owned()));
        for fault in [&refused, &refused, &Fault::Io(std::io::Error::other("full"))] {
            tally.count(Err(fault));
        }
        assert_eq!(tally.prepared(), 1);
        let counted: Vec<_> = tally.failed().filter(|(_, count)| *count > 0).collect();
        assert_eq!(counted, [("no_claim", 2), ("system", 1)]);
    }
}
