//! The node agent: gives each container on a Kubernetes node exactly its slice of a GPU.
//!
//! Kubelet asks for devices without saying for whom, so what it is answered is an opaque [token](identity::token). When it
//! is about to create the container, its checkpoint says whose that token is, and only then is the slice made.

#![forbid(unsafe_code)]

pub mod agent;
pub mod cdi;
pub mod claims;
pub mod collect;
pub mod folder;
mod follow;
pub mod identity;
pub mod install;
pub mod inventory;
pub mod kubelet;
pub mod links;
mod lock;
pub mod metrics;
pub mod node;
pub mod prepare;
pub mod proto;
pub mod reschedule;
pub mod selinux;
pub mod settings;
pub mod shares;
pub mod slice;
pub mod uninstall;
