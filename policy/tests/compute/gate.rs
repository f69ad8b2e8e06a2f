//! Gates that stay closed.

use policy::compute::gate::{LastPass, STARVATION_PERIOD};
use proptest::prelude::*;

use super::{NOW, time};

proptest! {
    /// Whatever the word was, and whoever asks when: somebody gets through, and nobody much more often than he may.
    #[test]
    fn nobody_starves_behind_a_closed_gate(bits: u64, asks in prop::collection::vec(time(STARVATION_PERIOD), 20..200)) {
        let (mut last, mut now, mut passes) = (LastPass::from_bits(bits), NOW, 0);
        let mut since = NOW;
        for after in asks {
            now = now.saturating_add(after);
            match last.pass(now) {
                Ok(next) => {
                    (last, since) = (next, now);
                    passes += 1;
                }
                Err(again) => prop_assert!(again > now && again <= now.saturating_add(STARVATION_PERIOD).saturating_add(STARVATION_PERIOD)),
            }
            prop_assert!(now.saturating_sub(since).0 <= 2 * STARVATION_PERIOD.0);
        }
        prop_assert!(passes <= 1 + now.saturating_sub(NOW).0 / STARVATION_PERIOD.0);
    }

    #[test]
    fn who_comes_back_when_told_gets_through(bits: u64) {
        let last = LastPass::from_bits(bits);
        if let Err(again) = last.pass(NOW) {
            prop_assert!(last.pass(again).is_ok());
        }
    }
}
