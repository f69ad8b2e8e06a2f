//! Quantities whose unit is their type.

use std::fmt;
use std::ops::{Add, AddAssign, Sub, SubAssign};

use serde::{Deserialize, Serialize};

macro_rules! quantity {
    ($(#[$doc:meta])* $name:ident($inner:ty), $unit:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub $inner);

        impl $name {
            /// Nothing of it.
            pub const ZERO: Self = Self(0);

            /// The difference, or zero when `other` is larger.
            #[must_use]
            pub fn saturating_sub(self, other: Self) -> Self {
                Self(self.0.saturating_sub(other.0))
            }

            /// The sum, or `None` when it does not fit.
            #[must_use]
            pub fn checked_add(self, other: Self) -> Option<Self> {
                self.0.checked_add(other.0).map(Self)
            }
        }

        impl Add for $name {
            type Output = Self;
            fn add(self, other: Self) -> Self {
                Self(self.0 + other.0)
            }
        }

        impl Sub for $name {
            type Output = Self;
            fn sub(self, other: Self) -> Self {
                Self(self.0 - other.0)
            }
        }

        impl AddAssign for $name {
            fn add_assign(&mut self, other: Self) {
                self.0 += other.0;
            }
        }

        impl SubAssign for $name {
            fn sub_assign(&mut self, other: Self) {
                self.0 -= other.0;
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!("{}", $unit), self.0)
            }
        }
    };
}

quantity! {
    /// An instant of the machine's monotonic clock, or a span of it, in nanoseconds.
    Nanos(u64), " ns"
}

quantity! {
    /// An amount of memory.
    Bytes(u64), " B"
}

quantity! {
    /// Thousandths of a device: of its multiprocessors or of its memory bandwidth.
    Permille(u32), "/1000"
}

impl Nanos {
    /// `micros` microseconds.
    #[must_use]
    pub const fn from_micros(micros: u64) -> Self {
        Self(micros * 1_000)
    }

    /// `millis` milliseconds.
    #[must_use]
    pub const fn from_millis(millis: u64) -> Self {
        Self(millis * 1_000_000)
    }
}

impl Bytes {
    /// `kib` × 1024 bytes.
    #[must_use]
    pub const fn from_kib(kib: u64) -> Self {
        Self(kib << 10)
    }

    /// `mib` × 1024² bytes.
    #[must_use]
    pub const fn from_mib(mib: u64) -> Self {
        Self(mib << 20)
    }

    /// `gib` × 1024³ bytes.
    #[must_use]
    pub const fn from_gib(gib: u64) -> Self {
        Self(gib << 30)
    }

    /// The least multiple of `step` that holds it, or `None` when that does not fit 64 bits.
    #[must_use]
    pub fn round_up(self, step: Self) -> Option<Self> {
        self.0.checked_next_multiple_of(step.0).map(Self)
    }
}

impl Permille {
    /// The whole device.
    pub const WHOLE: Self = Self(1_000);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_up_a_huge_size_is_refused_and_not_wrapped() {
        let chunk = Bytes::from_mib(2);
        assert_eq!(Bytes(1).round_up(chunk), Some(chunk));
        assert_eq!(chunk.round_up(chunk), Some(chunk));
        assert_eq!(Bytes(u64::MAX).round_up(chunk), None);
    }

    #[test]
    fn display_carries_the_unit() {
        assert_eq!(Nanos::from_millis(2).to_string(), "2000000 ns");
        assert_eq!(Bytes::from_kib(1).to_string(), "1024 B");
    }
}
