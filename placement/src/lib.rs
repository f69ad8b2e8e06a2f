//! Where on a node's devices a pod fits, which of them it gets, and how good a place that is.
//!
//! ```text
//! PodRequest ── Question ─┐
//!                         ├─ fits   whether all containers find devices, and if not, why    (the filter, many nodes a call)
//! Node ───────────────────┤
//!                         └─ place  the devices of each container, by policy and topology   (the claim, one node)
//! ```
//!
//! No clock, no IO, no Kubernetes: a caller knows what pods ask for and what is claimed already. Devices are counted from 0 in the
//! node's own order; amounts are MiB of memory, percent of a device's time, and slots, of which each container takes one.

#![forbid(unsafe_code)]

mod amount;
mod choice;
mod effort;
mod fit;
mod kinds;
mod links;
mod needs;
mod node;
mod order;
mod peak;
mod place;
mod question;
mod refusal;
mod request;
mod score;
mod sets;
mod site;

pub use amount::Amount;
pub use effort::Effort;
pub use links::{Link, Links};
pub use node::{Device, Node, State};
pub use peak::{Role, peak};
pub use place::Placement;
pub use question::{Question, place};
pub use refusal::{Obstacle, Refusal};
pub use request::{ContainerRequest, Cores, Memory, MemoryKind, PodRequest, Policy, Selection, Topology};
pub use score::score;
