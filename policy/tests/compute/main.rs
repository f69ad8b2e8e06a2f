//! What compute shares promise, tried on whatever order of events proptest can think of.

mod balance;
mod busy;
mod clocks;
mod cost;
mod finish;
mod gate;
mod lease;
mod trim;

use policy::compute::{Nanos, Share};
use proptest::prelude::*;

/// Where clocks stand when a test begins: far enough from 0 to go back.
const NOW: Nanos = Nanos::from_secs(100_000);

/// A share that is a limit.
fn limit() -> impl Strategy<Value = Share> {
    (1..1000u16).prop_map(|permille| Share::from_permille(permille).unwrap())
}

/// Small, middling and large times alike, up to `most`.
fn time(most: Nanos) -> impl Strategy<Value = Nanos> {
    (0..=most.0.ilog2()).prop_flat_map(move |bits| (0..=most.0 >> bits).prop_map(Nanos))
}
