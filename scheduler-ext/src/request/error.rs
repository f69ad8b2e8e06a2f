//! What is wrong with what a pod asks for.

use std::fmt;

use contract::Foreign;

/// How many parts a list in an annotation may have: each is looked for in the name of each GPU of the cluster.
pub(super) const PARTS: usize = 64;

/// How many bytes each of them may have, which is more than names of models have.
pub(super) const PART: usize = 128;

/// One thing that is wrong, with the value and what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Which container's; none: the pod's annotations.
    pub container: Option<String>,
    /// The resource or annotation.
    pub key: String,
    /// In a sentence that begins with the key.
    text: String,
}

impl Fault {
    pub(super) fn new(container: &str, key: &str, value: &str, why: impl fmt::Display) -> Self {
        Self::of(Some(container), key, format!("{key} is {}, which {why}", Foreign(value)))
    }

    pub(super) fn both(container: &str, one: &str, other: &str) -> Self {
        Self::of(Some(container), one, format!("{one} and {other} are both given; leave one of them out"))
    }

    pub(super) fn without_number(container: &str, key: &str, number: &str) -> Self {
        let text = format!(
            "{key} is given without {number} or with 0 of it, so kubelet would give no GPU; write {number}: 1"
        );
        Self::of(Some(container), key, text)
    }

    pub(super) fn unknown(container: &str, key: &str, instead: &str) -> Self {
        let text = format!(
            "{} is no resource of slices, and unless something else offers it the pod waits for ever; {instead}",
            Foreign(key)
        );
        Self::of(Some(container), key, text)
    }

    pub(super) fn nothing(container: &str, key: &str, number: &str) -> Self {
        let text = format!(
            "{key} is 0 and {number} is not given, so it gets no GPU; add {number}: 1 to it for a whole one, or leave out {key}"
        );
        Self::of(Some(container), key, text)
    }

    pub(super) fn unequal(container: &str, key: &str, limit: &str, request: &str) -> Self {
        let (limit, request) = (Foreign(limit), Foreign(request));
        let text = format!("{key} is {limit} in limits and {request} in requests; leave out the request");
        Self::of(Some(container), key, text)
    }

    pub(super) fn of_bytes(container: &str, key: &str, value: &str, mib: u64) -> Self {
        let text = format!(
            "{key} is {}, and it counts MiB (or memoryFactor times MiB): write {mib}, or so much less where memoryFactor is not 1",
            Foreign(value)
        );
        Self::of(Some(container), key, text)
    }

    pub(super) fn crowd(container: &str, key: &str, count: usize, most: usize) -> Self {
        let text = format!("{key} is asked for by {count} containers of the pod; {most} may at the most");
        Self::of(Some(container), key, text)
    }

    pub(super) fn long_list(key: &str, parts: usize) -> Self {
        Self::of(
            None,
            key,
            format!("{key} has {parts} parts; up to {PARTS} are read, of {PART} bytes each at the most"),
        )
    }

    pub(super) fn value(key: &str, value: &str, fault: &str) -> Self {
        Self::of(None, key, format!("{key} is {}: {fault}", Foreign(value)))
    }

    pub(super) fn annotation(key: &str, value: &str, known: &[&str]) -> Self {
        Self::of(None, key, format!("{key} is {}; known: {}", Foreign(value), known.join(", ")))
    }

    fn of(container: Option<&str>, key: &str, text: String) -> Self {
        Self { container: container.map(str::to_owned), key: key.to_owned(), text }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.container {
            Some(container) => write!(f, "container {}: {}", Foreign(container), self.text),
            None => write!(f, "annotation {}", self.text),
        }
    }
}

/// How many faults are told one by one: an event has 1 kB, and a pod may have thousands.
pub(super) const TOLD: usize = 5;

/// A pod asks for what nobody can have. At least one thing is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AskError(pub Vec<Fault>);

impl fmt::Display for AskError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, fault) in self.0.iter().take(TOLD).enumerate() {
            write!(f, "{}{fault}", if place == 0 { "" } else { "; " })?;
        }
        match self.0.len().saturating_sub(TOLD) {
            0 => Ok(()),
            more => write!(f, "; and {more} more"),
        }
    }
}

impl std::error::Error for AskError {}
