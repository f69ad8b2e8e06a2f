//! What people choose by a word, in annotations and flags.

use placement::{MemoryKind, Policy, Topology};

/// The words of one choice, with what they mean.
#[derive(Clone, Copy, Debug)]
pub struct Words<T: 'static>(pub(super) &'static [(&'static str, T)]);

/// Which of several nodes or devices are taken.
pub const POLICIES: Words<Policy> =
    Words(&[("binpack", Policy::Binpack), ("spread", Policy::Spread), ("none", Policy::None)]);

pub(super) const TOPOLOGIES: Words<Topology> = Words(&[
    ("none", Topology::Any),
    ("numa", Topology::Numa { is_strict: false }),
    ("numa-strict", Topology::Numa { is_strict: true }),
    ("link", Topology::Link { is_strict: false }),
    ("link-strict", Topology::Link { is_strict: true }),
]);

pub(super) const MEMORY_KINDS: Words<MemoryKind> =
    Words(&[("physical", MemoryKind::Physical), ("virtual", MemoryKind::Virtual), ("none", MemoryKind::Any)]);

impl<T: Copy> Words<T> {
    /// What `text` means, written in either case.
    ///
    /// # Errors
    /// The words that there are.
    pub fn meaning(self, text: &str) -> Result<T, Vec<&'static str>> {
        let found = self.0.iter().find(|(word, _)| text.eq_ignore_ascii_case(word));
        found.map(|(_, meaning)| *meaning).ok_or_else(|| self.0.iter().map(|(word, _)| *word).collect())
    }

    /// The word for `meaning`, if there is one.
    #[must_use]
    pub fn word(self, meaning: T) -> Option<&'static str>
    where
        T: PartialEq,
    {
        self.0.iter().find(|(_, other)| *other == meaning).map(|(word, _)| *word)
    }
}
