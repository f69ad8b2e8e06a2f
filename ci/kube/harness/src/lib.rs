//! What a test of the cluster works with.
//!
//! ```no_run
//! # use kube_harness::{Cluster, busybox};
//! #[test]
//! fn a_pod_says_hello() {
//!     let Some(cluster) = Cluster::join() else { return };
//!     let space = cluster.namespace();
//!     let pod = space.run(&busybox("hello", "echo hello"));
//!     pod.wait_for("Succeeded");
//!     assert_eq!(pod.logs(), "hello\n");
//! }
//! ```
//!
//! The test runs in the cluster's namespaces: it reaches the API server and pods by their addresses, sees the processes of all
//! services, and `/var/lib/kubelet` and `/run` are those of the first node. What it writes to `/etc` and `/var/lib` stays there.
//! Whatever goes wrong is a panic that says what the cluster knows about it.

#![forbid(unsafe_code)]

pub mod product;

mod cluster;
mod deletions;
mod image;
mod kubectl;
mod manifest;
mod namespace;
mod pod;
mod wait;

pub use cluster::{Cluster, Node};
pub use deletions::Deletions;
pub use image::image;
pub use kube_cluster::service::Service;
pub use kubectl::kubectl;
pub use manifest::busybox;
pub use namespace::Namespace;
pub use pod::Pod;
pub use wait::wait_until;
