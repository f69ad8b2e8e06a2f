//! What a driver library and the kernel process say to each other.
//!
//! A connection carries one request at a time and its answer: a frame (see [`frame`]) that holds a [`Request`], then
//! one that holds `Result<Reply, Refusal>` of the reply type its [`Call`] states. An answer may be long in coming: a
//! synchronisation is answered when the work is done.

mod call;
mod condition;
pub(crate) mod frame;
mod messages;
mod requests;

pub(crate) use call::Call;
pub use condition::{Condition, Disturbance, Incident, Presence};
pub(crate) use messages::Exported;
pub use messages::{Injection, Kind, MachineDescription, Subject};
pub(crate) use requests::*;
