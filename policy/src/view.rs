//! What a limited process is told about a device.

use crate::compute::Share;

/// One picture of a device's memory, the same for every interface that reports it. In bytes, `free ≤ total`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryView {
    /// What the device seems to have.
    pub total: u64,
    /// What seems to be left.
    pub free: u64,
}

impl MemoryView {
    /// What the device seems to hold.
    #[must_use]
    pub const fn used(self) -> u64 {
        self.total.saturating_sub(self.free)
    }
}

/// The picture for processes that together have charged `used` bytes under `limit`, on a device that itself reports `real`.
///
/// A limit above the device's size shows the device's size, and memory that other tenants hold is not shown as free. While
/// the usage is over the limit, nothing is free.
#[must_use]
pub fn limited(limit: u64, used: u64, real: MemoryView) -> MemoryView {
    let total = limit.min(real.total);
    let free = limit.saturating_sub(used).min(real.free).min(total);
    MemoryView { total, free }
}

/// Use of a device by a slice, in percent, from what each of its processes used. They may overlap in time, and together they
/// use a device no more than it is used at all.
#[must_use]
pub fn utilization(processes: impl Iterator<Item = u32>, device: u32) -> u32 {
    processes.fold(0, u32::saturating_add).min(device)
}

/// The same use as seen from inside the slice, whose share of the device is all it has: in percent of that share, rounded to the
/// nearest, 100 at most.
#[must_use]
pub fn scaled(utilization: u32, share: Share) -> u32 {
    let share = u64::from(share.permille());
    let scaled = (u64::from(utilization) * 1000 + share / 2) / share;
    u32::try_from(scaled).map_or(100, |percent| percent.min(100))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quota;
    use proptest::prelude::*;

    const REAL: MemoryView = MemoryView { total: 80, free: 50 };

    #[test]
    fn a_slice_looks_like_a_small_card() {
        assert_eq!(limited(10, 4, REAL), MemoryView { total: 10, free: 6 });
        assert_eq!(limited(10, 4, REAL).used(), 4);
    }

    #[test]
    fn a_neighbour_on_the_card_limits_what_is_free() {
        assert_eq!(limited(70, 10, REAL), MemoryView { total: 70, free: 50 });
    }

    #[test]
    fn a_limit_above_the_card_shows_the_card() {
        assert_eq!(limited(quota::NO_LIMIT, 30, REAL), REAL);
    }

    #[test]
    fn over_the_limit_nothing_is_free_and_nothing_wraps() {
        assert_eq!(limited(10, 11, REAL), MemoryView { total: 10, free: 0 });
    }

    #[test]
    fn a_slice_uses_a_device_no_more_than_it_is_used() {
        assert_eq!(utilization([].into_iter(), 90), 0);
        assert_eq!(utilization([30, 20].into_iter(), 90), 50);
        assert_eq!(utilization([70, 60].into_iter(), 90), 90);
        assert_eq!(utilization([u32::MAX, u32::MAX].into_iter(), 100), 100);
    }

    #[test]
    fn a_slice_that_uses_its_whole_share_is_fully_used() {
        let third = Share::from_percent(30).unwrap();
        assert_eq!(scaled(30, third), 100);
        assert_eq!(scaled(15, third), 50);
        assert_eq!(scaled(31, third), 100);
        assert_eq!(scaled(0, third), 0);
        assert_eq!(scaled(64, Share::FULL), 64);
        assert_eq!(scaled(u32::MAX, Share::from_permille(1).unwrap()), 100);
    }

    proptest! {
        #[test]
        fn free_is_within_total_limit_and_the_real_card(limit: u64, used: u64, total: u64, free: u64) {
            let real = MemoryView { total, free };
            let told = limited(limit, used, real);
            prop_assert!(told.free <= told.total);
            prop_assert!(told.total <= limit && told.total <= real.total && told.free <= real.free);
        }

        #[test]
        fn what_is_told_to_be_free_fits(limit: u64, used: u64, total: u64, free: u64) {
            let told = limited(limit, used, MemoryView { total, free });
            prop_assert!(told.free == 0 || quota::fits(used, told.free, limit));
        }
    }
}
