//! Which nodes are alike.

use std::collections::HashMap;
use std::hash::{BuildHasher, BuildHasherDefault, Hasher, RandomState};

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

/// The likeness of each node that takes pods. Those of different nodes are the same only where two hashes agree, whose keys nobody
/// knows; and whoever is bound to a node is asked about that node itself.
///
/// They stand apart from what else is known of nodes, and their names are hashes as well, so that all of them are near to each other
/// in memory: every question of kube-scheduler looks up all nodes, and little else of most.
#[derive(Clone, Debug, Default)]
pub(super) struct Likenesses {
    keys: [RandomState; 2],
    by_name: HashMap<u64, Likeness, BuildHasherDefault<Itself>>,
}

impl Likenesses {
    /// The devices of a node as they are now; `None`: it takes no pods.
    pub(super) fn note(&mut self, name: &str, node: Option<&Node>) {
        let name = self.hashed(name);
        match node.map(|node| self.compute(node)) {
            Some(likeness) => self.by_name.insert(name, likeness),
            None => self.by_name.remove(&name),
        };
    }

    pub(super) fn of(&self, name: &str) -> Option<Likeness> {
        self.by_name.get(&self.hashed(name)).copied()
    }

    /// The same for many, in their order. They are looked up in a loop of their own, in which the processor fetches the next ones
    /// while it waits for the first: that is most of the time of a question when other programs have been at its caches.
    pub(super) fn of_all<'a>(&self, names: impl Iterator<Item = &'a str>) -> Vec<Option<Likeness>> {
        let names: Vec<u64> = names.map(|name| self.hashed(name)).collect();
        names.iter().map(|name| self.by_name.get(name).copied()).collect()
    }

    fn hashed(&self, name: &str) -> u64 {
        self.keys[0].hash_one(name)
    }

    fn compute(&self, node: &Node) -> Likeness {
        // Every field by its name: whoever adds one has to say whether it makes a difference.
        let Node { devices, links, memory_factor, is_memory_virtual } = node;
        let devices: Vec<_> = devices
            .iter()
            .map(|Device { uuid: _, model, capacity, used, numa, state }| {
                (model, capacity, used, numa, state)
            })
            .collect();
        let all = (devices, links, memory_factor, is_memory_virtual);
        let [one, other] = &self.keys;
        Likeness(one.hash_one(&all), other.hash_one(&all))
    }
}

/// The hash of a hash is itself.
#[derive(Clone, Copy, Debug, Default)]
struct Itself(u64);

impl Hasher for Itself {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }

    fn write(&mut self, _: &[u8]) {
        unreachable!("keys are hashes");
    }
}
