//! Nodes that are offered for a pod: by name, or whole where kube-scheduler does not trust the extender to know them.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

use crate::api::or_null;

/// The nodes of a request. An answer has the same form.
#[derive(Clone, Debug)]
pub enum Offer {
    /// By name, with `nodeCacheCapable: true`.
    Names(Vec<String>),
    /// Whole.
    Nodes(NodeList),
}

impl Offer {
    /// Their names, in the order in which they are offered.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let (names, nodes): (&[String], &[OfferedNode]) = match self {
            Self::Names(names) => (names, &[]),
            Self::Nodes(list) => (&[], &list.items),
        };
        names.iter().map(String::as_str).chain(nodes.iter().map(|node| node.name.as_str()))
    }

    /// How many there are.
    #[must_use]
    pub const fn len(&self) -> usize {
        match self {
            Self::Names(names) => names.len(),
            Self::Nodes(list) => list.items.len(),
        }
    }

    /// Whether there are none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Those for which `is_kept` holds, in the same form and order.
    #[must_use]
    pub fn retain(mut self, mut is_kept: impl FnMut(&str) -> bool) -> Self {
        match &mut self {
            Self::Names(names) => names.retain(|name| is_kept(name)),
            Self::Nodes(list) => list.items.retain(|node| is_kept(&node.name)),
        }
        self
    }
}

/// A list of nodes.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct NodeList {
    /// The nodes.
    #[serde(deserialize_with = "or_null")]
    pub items: Vec<OfferedNode>,
}

/// A node as it was offered, every field of it: kube-scheduler goes on with what it is answered.
#[derive(Clone, Debug)]
pub struct OfferedNode {
    /// Its name.
    pub name: String,
    whole: Box<RawValue>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Named {
    #[serde(deserialize_with = "or_null")]
    metadata: Name,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Name {
    name: String,
}

impl<'de> Deserialize<'de> for OfferedNode {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let whole = Box::<RawValue>::deserialize(deserializer)?;
        let named: Named = serde_json::from_str(whole.get()).map_err(serde::de::Error::custom)?;
        Ok(Self { name: named.metadata.name, whole })
    }
}

impl Serialize for OfferedNode {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.whole.serialize(serializer)
    }
}
