//! Pods.

use std::collections::BTreeMap;

use k8s_openapi::NamespaceResourceScope;
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde::Deserialize;

use super::constraints::{Affinity, Toleration};
use super::metadata::metadata;
use super::object::{object, or_null};

/// A pod.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Pod {
    /// Name, namespace, uid, annotations, owners.
    #[serde(deserialize_with = "metadata")]
    pub metadata: ObjectMeta,
    /// What is to be.
    #[serde(deserialize_with = "or_null")]
    pub spec: PodSpec,
    /// What is.
    #[serde(deserialize_with = "or_null")]
    pub status: PodStatus,
}

object!(Pod, "Pod", "pods", NamespaceResourceScope);

/// What is to be of a pod.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct PodSpec {
    /// Where it is bound to.
    pub node_name: Option<String>,
    /// Who binds it.
    pub scheduler_name: Option<String>,
    /// How much more important it is than others.
    pub priority: Option<i32>,
    /// Labels that its node has.
    #[serde(deserialize_with = "or_null")]
    pub node_selector: BTreeMap<String, String>,
    /// What else it says of nodes.
    #[serde(deserialize_with = "or_null")]
    pub affinity: Affinity,
    /// What does not keep it away from a node.
    #[serde(deserialize_with = "or_null")]
    pub tolerations: Vec<Toleration>,
    /// Containers that start before the others, in this order.
    #[serde(deserialize_with = "or_null")]
    pub init_containers: Vec<Container>,
    /// Containers that run together.
    #[serde(deserialize_with = "or_null")]
    pub containers: Vec<Container>,
}

/// A container of a pod.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Container {
    /// Its name in the pod.
    pub name: String,
    /// `Always` for an init container that runs as long as the pod.
    pub restart_policy: Option<String>,
    /// What it asks for.
    #[serde(deserialize_with = "or_null")]
    pub resources: Resources,
}

/// What a container asks for.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Resources {
    /// The most that it gets.
    #[serde(deserialize_with = "or_null")]
    pub limits: BTreeMap<String, Quantity>,
    /// What it is sure of. The same as the limit for extended resources.
    #[serde(deserialize_with = "or_null")]
    pub requests: BTreeMap<String, Quantity>,
}

impl Resources {
    /// The amount of a resource, where it is asked for.
    #[must_use]
    pub fn amount(&self, name: &str) -> Option<&str> {
        self.limits.get(name).or_else(|| self.requests.get(name)).map(|quantity| quantity.0.as_str())
    }
}

/// What is of a pod.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct PodStatus {
    /// How far it is: `Pending`, `Running`, `Succeeded`, `Failed`.
    pub phase: Option<String>,
    /// Why it has failed, in a word.
    pub reason: Option<String>,
    /// The same in a sentence.
    pub message: Option<String>,
    /// Where it is to come when the pods are gone that were preempted for it.
    pub nominated_node_name: Option<String>,
    /// How containers are.
    #[serde(deserialize_with = "or_null")]
    pub container_statuses: Vec<ContainerStatus>,
    /// How those are that start before the others.
    #[serde(deserialize_with = "or_null")]
    pub init_container_statuses: Vec<ContainerStatus>,
}

/// How a container is.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct ContainerStatus {
    /// In one of several states.
    #[serde(deserialize_with = "or_null")]
    pub state: ContainerState,
}

/// In which state a container is.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct ContainerState {
    /// It has not started yet.
    pub waiting: Option<Waiting>,
}

/// Why a container has not started.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Waiting {
    /// In a sentence.
    pub message: Option<String>,
}

impl Pod {
    /// Whether all of its containers have ended for good, as kubelet says.
    #[must_use]
    pub fn is_over(&self) -> bool {
        matches!(self.status.phase.as_deref(), Some("Succeeded" | "Failed"))
    }

    /// Why containers that wait do so, in sentences.
    pub fn waits(&self) -> impl Iterator<Item = &str> {
        let all = self.status.init_container_statuses.iter().chain(&self.status.container_statuses);
        all.filter_map(|container| container.state.waiting.as_ref()?.message.as_deref())
    }

    /// An annotation of the pod.
    #[must_use]
    pub fn annotation(&self, key: &str) -> Option<&str> {
        self.metadata.annotations.as_ref()?.get(key).map(String::as_str)
    }
}
