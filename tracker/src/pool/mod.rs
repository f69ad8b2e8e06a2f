//! Pools of stream-ordered memory: the driver takes memory for them in steps that nobody announces.

mod account;
mod growth;
#[cfg(test)]
mod interleavings;

pub use account::{Begun, Change, Moment, PoolAccount, Settled};
pub use growth::Growth;
