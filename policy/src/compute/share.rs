//! A part of a device's time.

use core::num::NonZeroU16;

use super::Nanos;

/// How much of a device's time a slice may use: 1 to 1000 thousandths. All of it is no limit.
///
/// Thousandths, because people write whole percents and [`balance`](super::balance) must be able to say something between.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Share(NonZeroU16);

impl Share {
    /// All of the device's time: not limited.
    pub const FULL: Self = Self(NonZeroU16::new(1000).unwrap());
    /// The largest share that is still a limit.
    ///
    /// Costs a thousandth of the device's time, and keeps what the device has still to do within one
    /// [burst](super::finish::BURST), so that the share can be taken back at once.
    pub const PACED: Self = Self(NonZeroU16::new(999).unwrap());

    /// The share of `permille` thousandths, or `None` outside 1..=1000.
    #[must_use]
    pub const fn from_permille(permille: u16) -> Option<Self> {
        match NonZeroU16::new(permille) {
            Some(share) if permille <= 1000 => Some(Self(share)),
            _ => None,
        }
    }

    /// The share of `percent` hundredths, or `None` outside 1..=100.
    #[must_use]
    pub const fn from_percent(percent: u8) -> Option<Self> {
        // At most 2,550, so that it fits.
        Self::from_permille(percent as u16 * 10)
    }

    /// Thousandths of the device's time.
    #[must_use]
    pub const fn permille(self) -> u16 {
        self.0.get()
    }

    /// Whether this is less than the whole device.
    #[must_use]
    pub const fn is_limit(self) -> bool {
        self.permille() < Self::FULL.permille()
    }

    /// The wall time in which this share is worth `gpu` of GPU time, rounded up; the longest time there is if that is longer.
    #[must_use]
    pub fn wall(self, gpu: Nanos) -> Nanos {
        let wall = (u128::from(gpu.0) * 1000).div_ceil(u128::from(self.permille()));
        Nanos(u64::try_from(wall).unwrap_or(u64::MAX))
    }

    /// The GPU time that this share is worth in `wall` of wall time, rounded down.
    #[must_use]
    pub fn gpu(self, wall: Nanos) -> Nanos {
        wall.in_proportion(u64::from(self.permille()), 1000)
    }
}
