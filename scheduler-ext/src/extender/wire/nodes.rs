//! Nodes that are offered for a pod: by name, or whole where kube-scheduler does not trust the extender to know them.

use std::borrow::Cow;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

use crate::api::or_null;

/// The nodes of a request. An answer has the same form.
#[derive(Clone, Debug)]
pub enum Offer<'a> {
    /// By name, with `nodeCacheCapable: true`: as they stand in the request.
    Names(Vec<Cow<'a, str>>),
    /// Whole.
    Nodes(NodeList),
}

impl<'a> Offer<'a> {
    /// Their names, in the order in which they are offered.
    pub fn names(&self) -> impl Iterator<Item = &str> + Clone {
        let (names, nodes): (&[Cow<'_, str>], &[OfferedNode]) = match self {
            Self::Names(names) => (names, &[]),
            Self::Nodes(list) => (&[], &list.items),
        };
        names.iter().map(AsRef::as_ref).chain(nodes.iter().map(|node| node.name.as_str()))
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

    /// Those against which `judge` has nothing, in the same form and order, and the names of the others with what it has.
    #[must_use]
    pub fn split<T>(mut self, mut judge: impl FnMut(&str) -> Option<T>) -> (Self, Vec<(Cow<'a, str>, T)>) {
        let mut refused = Vec::new();
        match &mut self {
            Self::Names(names) => names.retain_mut(|name| {
                let fault = judge(name);
                let is_kept = fault.is_none();
                refused.extend(fault.map(|fault| (std::mem::take(name), fault)));
                is_kept
            }),
            Self::Nodes(list) => list.items.retain_mut(|node| {
                let fault = judge(&node.name);
                let is_kept = fault.is_none();
                refused.extend(fault.map(|fault| (Cow::Owned(std::mem::take(&mut node.name)), fault)));
                is_kept
            }),
        }
        (self, refused)
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
