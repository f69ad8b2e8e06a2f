//! What kube-scheduler sends.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::nodes::{NodeList, Offer};
use super::null;
use crate::api::{Pod, or_null};

/// `ExtenderArgs`: of filter and prioritize.
#[derive(Clone, Debug, Deserialize)]
#[serde(bound(deserialize = "'de: 'a"))]
#[serde(from = "Arguments<'a>")]
pub struct FilterRequest<'a> {
    /// The pod that is to be placed.
    pub pod: Option<Pod>,
    /// Where it could be.
    pub offer: Offer<'a>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "PascalCase")]
struct Arguments<'a> {
    #[serde(alias = "pod")]
    pod: Option<Pod>,
    #[serde(alias = "nodes")]
    nodes: Option<NodeList>,
    #[serde(borrow, alias = "nodeNames", alias = "nodenames", deserialize_with = "null::names")]
    node_names: Option<Vec<Cow<'a, str>>>,
}

impl<'a> From<Arguments<'a>> for FilterRequest<'a> {
    fn from(arguments: Arguments<'a>) -> Self {
        let offer = match (arguments.node_names, arguments.nodes) {
            (None, Some(list)) => Offer::Nodes(list),
            (names, _) => Offer::Names(names.unwrap_or_default()),
        };
        Self { pod: arguments.pod, offer }
    }
}

/// `ExtenderBindingArgs`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "PascalCase")]
pub struct BindRequest {
    /// The pod's name.
    #[serde(alias = "podName", alias = "podname", deserialize_with = "or_null")]
    pub pod_name: String,
    /// Its namespace.
    #[serde(alias = "podNamespace", alias = "podnamespace", deserialize_with = "or_null")]
    pub pod_namespace: String,
    /// Which pod of that name.
    #[serde(
        rename = "PodUID",
        alias = "PodUid",
        alias = "podUID",
        alias = "podUid",
        alias = "poduid",
        deserialize_with = "or_null"
    )]
    pub pod_uid: String,
    /// Where it is to run.
    #[serde(alias = "node", deserialize_with = "or_null")]
    pub node: String,
}

/// `ExtenderPreemptionArgs`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "PascalCase")]
pub struct PreemptRequest {
    /// The pod that is to be placed.
    #[serde(alias = "pod")]
    pub pod: Option<Pod>,
    /// Who would have to go, by node, whole: without `nodeCacheCapable`.
    #[serde(alias = "nodeNameToVictims", deserialize_with = "null::map")]
    pub node_name_to_victims: Option<BTreeMap<String, Victims>>,
    /// Who would have to go, by node.
    #[serde(alias = "nodeNameToMetaVictims", deserialize_with = "null::map")]
    pub node_name_to_meta_victims: Option<BTreeMap<String, MetaVictims>>,
}

impl PreemptRequest {
    /// Who would have to go, by node, in whichever form it was sent.
    #[must_use]
    pub fn victims(&self) -> BTreeMap<String, MetaVictims> {
        match (&self.node_name_to_meta_victims, &self.node_name_to_victims) {
            (Some(victims), _) => victims.clone(),
            (None, Some(victims)) => {
                victims.iter().map(|(node, victims)| (node.clone(), victims.into())).collect()
            }
            (None, None) => BTreeMap::new(),
        }
    }
}

/// Pods that would have to go from one node.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Victims {
    /// They.
    #[serde(rename = "Pods", alias = "pods", deserialize_with = "or_null")]
    pub pods: Vec<Pod>,
    /// How often that is against a disruption budget.
    #[serde(rename = "NumPDBViolations", alias = "numPDBViolations")]
    pub num_pdb_violations: i64,
}

/// Pods that would have to go from one node, by uid.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct MetaVictims {
    /// They.
    #[serde(rename = "Pods", alias = "pods", deserialize_with = "or_null")]
    pub pods: Vec<MetaPod>,
    /// How often that is against a disruption budget.
    #[serde(rename = "NumPDBViolations", alias = "numPDBViolations")]
    pub num_pdb_violations: i64,
}

/// A pod by its uid.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct MetaPod {
    /// The uid.
    #[serde(rename = "UID", alias = "uid")]
    pub uid: String,
}

impl From<&Victims> for MetaVictims {
    fn from(victims: &Victims) -> Self {
        let uid = |pod: &Pod| MetaPod { uid: pod.metadata.uid.clone().unwrap_or_default() };
        Self { pods: victims.pods.iter().map(uid).collect(), num_pdb_violations: victims.num_pdb_violations }
    }
}
