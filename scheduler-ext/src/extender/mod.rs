//! What kube-scheduler asks an extender.
//!
//! [`filter`], [`prioritize`] and [`preempt`] are pure questions to the ledger; [`bind`] changes it; [`wire`] is how they are asked and answered.

mod alike;
mod answer;
pub mod bind;
mod elsewhere;
pub mod filter;
mod patience;
pub mod preempt;
pub mod prioritize;
mod recent;
pub mod wire;

pub use answer::{Extender, Hears};
pub use patience::Patience;

#[cfg(test)]
pub(crate) mod tests;
