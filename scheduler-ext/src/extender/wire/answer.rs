//! What kube-scheduler is answered.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::nodes::{NodeList, Offer};
use super::request::MetaVictims;

/// `ExtenderFilterResult`.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct FilterAnswer<'a> {
    /// Nodes that fit, where nodes were sent.
    pub nodes: Option<NodeList>,
    /// Nodes that fit, where names were sent.
    pub node_names: Option<Vec<Cow<'a, str>>>,
    /// Nodes that do not fit, and why.
    pub failed_nodes: Reasons<'a>,
    /// Nodes that would not fit either if other pods went, and why.
    pub failed_and_unresolvable_nodes: Reasons<'a>,
    /// Why there is no answer; kube-scheduler tries again later. Empty: there is one.
    pub error: String,
}

impl<'a> FilterAnswer<'a> {
    /// Those that fit, in the form in which they were offered.
    #[must_use]
    pub fn of(fitting: Offer<'a>) -> Self {
        match fitting {
            Offer::Names(names) => Self { node_names: Some(names), ..Self::default() },
            Offer::Nodes(list) => Self { nodes: Some(list), ..Self::default() },
        }
    }

    /// Whether it is an answer, and no node fits.
    #[must_use]
    pub fn fits_nowhere(&self) -> bool {
        let names = self.node_names.as_ref().is_none_or(Vec::is_empty);
        let nodes = self.nodes.as_ref().is_none_or(|nodes| nodes.items.is_empty());
        self.error.is_empty() && names && nodes
    }

    /// No answer.
    #[must_use]
    pub fn error(error: String) -> Self {
        Self { error, ..Self::default() }
    }
}

/// A reason for each of several nodes. kube-scheduler counts those that are the same.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reasons<'a>(pub Vec<(Cow<'a, str>, Cow<'static, str>)>);

impl Serialize for Reasons<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (node, reason) in &self.0 {
            map.serialize_entry(node, reason)?;
        }
        map.end()
    }
}

/// One of `HostPriorityList`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct HostPriority<'a> {
    /// The node.
    pub host: Cow<'a, str>,
    /// From 0 to 10, the best. kube-scheduler multiplies it by ten and by the extender's weight.
    pub score: i64,
}

/// `ExtenderBindingResult`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct BindAnswer {
    /// Why the pod is not bound. Empty: it is.
    pub error: String,
}

/// `ExtenderPreemptionResult`: by uid, however it was asked.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct PreemptAnswer {
    /// Nodes on which the pod fits when these pods are gone.
    pub node_name_to_meta_victims: BTreeMap<String, MetaVictims>,
}
