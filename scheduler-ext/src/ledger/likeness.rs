//! Which nodes are alike.

use std::hash::{BuildHasher, RandomState};

use placement::{Device, Node};

/// What all nodes have in common that take the same pods equally well, as long as a pod does not ask for devices by their identities.
/// Most nodes of a large cluster are like many others: empty, or full.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Likeness(u64, u64);

impl Likeness {
    /// One of 256 places, each as likely as any other.
    #[must_use]
    pub const fn place(self) -> u8 {
        self.0.to_le_bytes()[0]
    }
}

/// Tells the likeness of nodes. Those of different nodes are the same only where two hashes agree, whose keys nobody knows.
#[derive(Clone, Debug, Default)]
pub(super) struct Likenesses(RandomState, RandomState);

impl Likenesses {
    pub(super) fn of(&self, node: &Node) -> Likeness {
        // Every field by its name: whoever adds one has to say whether it makes a difference.
        let Node { devices, links, memory_factor, is_memory_virtual } = node;
        let devices: Vec<_> = devices
            .iter()
            .map(|Device { uuid: _, model, capacity, used, numa, state }| {
                (model, capacity, used, numa, state)
            })
            .collect();
        let all = (devices, links, memory_factor, is_memory_virtual);
        Likeness(self.0.hash_one(&all), self.1.hash_one(&all))
    }
}
