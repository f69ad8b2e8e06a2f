//! Nodes.

use std::collections::BTreeMap;

use k8s_openapi::ClusterResourceScope;
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde::Deserialize;

use super::metadata::metadata;
use super::object::{object, or_null};

/// A node.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Node {
    /// Name, labels, annotations.
    #[serde(deserialize_with = "metadata")]
    pub metadata: ObjectMeta,
    /// What is to be.
    #[serde(deserialize_with = "or_null")]
    pub spec: NodeSpec,
    /// What is.
    #[serde(deserialize_with = "or_null")]
    pub status: NodeStatus,
}

object!(Node, "Node", "nodes", ClusterResourceScope);

/// What is to be of a node.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct NodeSpec {
    /// Whether no new pods are to come.
    #[serde(deserialize_with = "or_null")]
    pub unschedulable: bool,
    /// Which pods it keeps away.
    #[serde(deserialize_with = "or_null")]
    pub taints: Vec<Taint>,
}

/// What keeps pods away that do not tolerate it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Taint {
    /// Its name.
    pub key: String,
    /// Its value.
    pub value: Option<String>,
    /// What it does: `NoSchedule`, `PreferNoSchedule`, `NoExecute`.
    pub effect: String,
}

/// What is of a node.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct NodeStatus {
    /// What pods can have of it.
    #[serde(deserialize_with = "or_null")]
    pub allocatable: BTreeMap<String, Quantity>,
    /// How it is.
    #[serde(deserialize_with = "or_null")]
    pub conditions: Vec<Condition>,
}

/// One thing that is so, is not so, or is not known.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Condition {
    /// What: `Ready`, for one.
    #[serde(rename = "type")]
    pub kind: String,
    /// `True`, `False` or `Unknown`.
    pub status: String,
}

impl Node {
    /// An annotation of the node.
    #[must_use]
    pub fn annotation(&self, key: &str) -> Option<&str> {
        self.metadata.annotations.as_ref()?.get(key).map(String::as_str)
    }

    /// Whether kubelet says that it takes pods.
    #[must_use]
    pub fn is_ready(&self) -> bool {
        self.status.conditions.iter().any(|condition| condition.kind == "Ready" && condition.status == "True")
    }
}
