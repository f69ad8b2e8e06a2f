//! What kube-scheduler asks an extender.
//!
//! [`filter`], [`prioritize`] and [`preempt`] are pure questions to the ledger; [`wire`] is how they are asked and answered.

mod elsewhere;
pub mod filter;
pub mod preempt;
pub mod prioritize;
pub mod wire;

#[cfg(test)]
mod tests;
