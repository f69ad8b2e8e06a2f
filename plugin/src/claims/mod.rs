//! What pods have been given: read from the API, checked, kept, and arbitrated.

pub mod accept;
pub mod capacity;
pub mod mounts;
mod notices;
pub mod pod;
mod pods;
mod store;

pub use notices::Notices;
pub use pods::{Pods, watch};
pub use store::{Record, Records};
