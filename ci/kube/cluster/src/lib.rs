//! A real Kubernetes on this machine, for tests: every program of it, in mount, network and process namespaces of its own, so
//! that nothing of it is seen outside and one signal ends it.
//!
//! ```text
//! vgpu-kube FOLDER up
//!   └ unshare … vgpu-kube FOLDER init       the first process of the namespaces, supervises
//!       ├ control/   etcd, kube-apiserver, kube-controller-manager, kube-scheduler
//!       ├ node-1/    containerd, kubelet
//!       └ control/another-node: vgpu-kube FOLDER node 2
//!           └ node-2/    containerd, kubelet
//! ```
//!
//! What the services are told is in `ci/kube/services`, `config` and `network`, to be read there.

#![forbid(unsafe_code)]

pub mod folder;
pub mod namespaces;
pub mod service;

mod capabilities;
mod certificates;
mod cgroups;
mod down;
mod install;
mod layout;
mod mounts;
mod network;
mod node;
mod programs;
mod rate;
mod run;
mod sources;
mod start;
mod supervisor;
mod template;
mod test;

pub use down::down;
pub use install::install;
pub use node::{first_process, second_node};
pub use programs::{helm, prepare};
pub use rate::rate;
pub use start::{Lifetime, Size, up};
pub use test::test;
