//! Shares of a device's time: how much of it a slice may use, what it owes, and how that is measured.
//!
//! Two kinds of time meet here, both in [`Nanos`]. *Wall time* passes for everybody; its instants are those of
//! `CLOCK_MONOTONIC`. *GPU time* is what a device spends on a slice's work. A [`Share`] turns one into the other: GPU time is
//! paid off at the share's rate. `docs/compute-shares.md` explains how the parts work together.

pub mod account;
pub mod balance;
pub mod busy;
pub mod cost;
pub mod demand;
pub mod finish;
pub mod gate;
pub mod lease;
mod nanos;
mod patience;
mod share;
pub mod trim;

pub use nanos::Nanos;
pub use patience::Patience;
pub use share::Share;
