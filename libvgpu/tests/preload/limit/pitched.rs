//! Rows that are longer than they were asked to be.

use super::{GIB, MIB};
use crate::machine::{BRANCHES, CONTEXT, Machine};
use crate::puppet::{OUT_OF_MEMORY, Puppet};

#[test]
fn rows_that_only_fit_without_their_padding_never_reach_the_card() {
    for branch in BRANCHES {
        let machine = Machine::with(branch, 1);
        let mut tenant = Puppet::with_context(machine.limited("1g"));
        for _ in 0..3 {
            // 64 MiB of rows of a byte, each of which takes 512.
            let refused = tenant.ask(&format!("cuMemAllocPitch_v2 out out 1 {} 4", 64 * MIB));
            assert_eq!(refused, OUT_OF_MEMORY.to_string());
        }
        let truth = machine.truth();
        // What tells the pitch may have been on the card: one row, in a chunk.
        assert!(truth["device.0.resident_peak"] <= CONTEXT + 2 * MIB, "{truth:?}");
        assert_eq!(truth["device.0.refused"], 0);
        assert_eq!(tenant.memory().free, GIB - CONTEXT);
    }
}
