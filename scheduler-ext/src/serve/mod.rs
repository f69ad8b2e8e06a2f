//! HTTP: what kube-scheduler asks, what the API server asks, and pages for Prometheus and kubelet.

pub mod body;
pub mod explain;
pub mod hall;
pub mod pages;
pub mod tls;
pub mod verbs;
