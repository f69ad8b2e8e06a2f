//! How much a pool may take from its device when it serves a request.

use crate::packing::CHUNK;
use contract::Bytes;

/// What the drivers known grow a pool by at least, in bytes.
const STEP: u64 = 32 << 20;

/// A rule of the driver, as far as its pools have shown it: a pool grows by a multiple of some unit, and by some least
/// amount. No documentation says either.
#[derive(Clone, Copy, Debug, Default)]
pub struct Growth {
    /// What growth for large requests is a multiple of.
    unit: Option<u64>,
    /// The least growth seen for a small request.
    least: Option<u64>,
    /// By how much the driver has surpassed what was believed possible.
    excess: u64,
}

impl Growth {
    /// The most that a pool is believed to grow by for `request`.
    #[must_use]
    pub fn bound(&self, request: Bytes) -> Bytes {
        let least = self.least.unwrap_or(STEP);
        let rounded = round_up(request.0, self.unit.unwrap_or(STEP));
        let rounded = if request.0 <= STEP { round_up(request.0, CHUNK) } else { rounded };
        Bytes(rounded.max(least).saturating_add(self.excess))
    }

    /// The least that a pool is believed to grow by for `request`, if it has to grow.
    #[must_use]
    pub fn floor(&self, request: Bytes) -> Bytes {
        if request.0 <= STEP {
            return Bytes(round_up(request.0, CHUNK).max(self.least.unwrap_or(STEP)));
        }
        Bytes(round_up(request.0, self.unit.unwrap_or(CHUNK)))
    }

    /// A pool has grown by exactly `growth` for `request`.
    pub fn observe(&mut self, request: Bytes, growth: Bytes) {
        if growth.0 == 0 {
            return;
        }
        if request.0 > STEP {
            let unit = (1 << growth.0.trailing_zeros()).min(STEP);
            self.unit = Some(self.unit.map_or(unit, |known| known.min(unit)));
        } else if self.least.is_none_or(|known| growth.0 < known) {
            self.least = Some(growth.0.min(STEP));
        }
        let surplus = growth.0.saturating_sub(self.bound(request).0);
        self.excess = self.excess.saturating_add(surplus);
    }
}

fn round_up(bytes: u64, unit: u64) -> u64 {
    bytes.checked_next_multiple_of(unit).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = 1 << 20;

    /// Lets a driver that grows pools by `rule` serve requests of so many MiB, each with a pool of its own.
    fn seen(rule: impl Fn(u64) -> u64, requests: &[u64]) -> Growth {
        let mut growth = Growth::default();
        for request in requests {
            growth.observe(Bytes(request * MIB), Bytes(rule(request * MIB)));
        }
        growth
    }

    fn steps_or_chunks(request: u64) -> u64 {
        round_up(request, CHUNK).max(STEP)
    }

    fn steps(request: u64) -> u64 {
        round_up(request, STEP)
    }

    fn chunks(request: u64) -> u64 {
        round_up(request, CHUNK)
    }

    #[test]
    fn the_bound_holds_before_and_after_growth_was_seen() {
        for rule in [steps_or_chunks, steps, chunks] {
            for requests in [&[][..], &[1], &[100], &[64], &[20, 3, 70, 1], &[54, 33], &[33, 1]] {
                let growth = seen(rule, requests);
                for request in (1..400).map(|pieces| pieces * MIB / 2) {
                    let (least, most) = (growth.floor(Bytes(request)).0, growth.bound(Bytes(request)).0);
                    assert!(rule(request) <= most, "{requests:?}: {request} may take {most}");
                    assert!(least <= most, "{requests:?}: {request} takes {least} to {most}");
                    let is_known = requests.contains(&1) && requests.contains(&33);
                    assert!(!is_known || least <= rule(request), "{requests:?}: {request} takes {least}");
                }
            }
        }
    }

    #[test]
    fn what_was_seen_makes_bound_and_floor_exact() {
        let growth = seen(steps_or_chunks, &[1, 33]);
        for request in [Bytes(MIB), Bytes(32 * MIB), Bytes(54 * MIB), Bytes(598 * MIB)] {
            let real = Bytes(steps_or_chunks(request.0));
            assert_eq!((growth.floor(request), growth.bound(request)), (real, real));
        }
    }

    #[test]
    fn a_driver_that_surpasses_the_bound_is_believed() {
        let growth = seen(|request| 3 * request, &[100]);
        assert!(growth.bound(Bytes(100 * MIB)) >= Bytes(300 * MIB));
    }

    #[test]
    fn sizes_that_no_device_has_do_not_wrap() {
        let growth = Growth::default();
        assert_eq!(growth.bound(Bytes(u64::MAX)), Bytes(u64::MAX));
        assert_eq!(growth.floor(Bytes(u64::MAX)), Bytes(u64::MAX));
    }
}
