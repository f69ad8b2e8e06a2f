//! Quantities with their unit in the type.

use std::fmt;

/// Bytes in one MiB.
const MIB: u64 = 1 << 20;

/// An amount of memory in bytes. `Display` prints the exact number of bytes, without a unit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bytes(pub u64);

impl Bytes {
    /// No memory at all.
    pub const ZERO: Self = Self(0);

    /// `count` MiB, or `None` when that is more than 2⁶⁴ − 1 bytes.
    #[must_use]
    pub const fn from_mib(count: u64) -> Option<Self> {
        match count.checked_mul(MIB) {
            Some(bytes) => Some(Self(bytes)),
            None => None,
        }
    }

    /// The sum, or 2⁶⁴ − 1 bytes when the sum is larger.
    #[must_use]
    pub const fn saturating_add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }

    /// The difference, or 0 if `other` is larger.
    #[must_use]
    pub const fn saturating_sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }

    /// The amount as `nvidia-smi` shows it: `81559 MiB`, `1024.5 MiB`, `4096 bytes`.
    ///
    /// Whole MiB are exact; anything else of at least 1 MiB is rounded to a tenth of a MiB. Never in GiB: two amounts in
    /// one sentence must compare at a glance.
    #[must_use]
    pub fn human(self) -> impl fmt::Display {
        Human(self.0)
    }
}

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

struct Human(u64);

impl fmt::Display for Human {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = self.0;
        if bytes >= MIB && bytes.is_multiple_of(MIB) {
            write!(f, "{} MiB", bytes / MIB)
        } else if bytes >= MIB {
            let tenths = (u128::from(bytes) * 10 + u128::from(MIB / 2)) / u128::from(MIB);
            write!(f, "{}.{} MiB", tenths / 10, tenths % 10)
        } else {
            write!(f, "{bytes} bytes")
        }
    }
}

/// A share of a GPU's compute time, 1 to 100 percent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Percent(u8);

impl Percent {
    /// The share of `value` percent, or `None` outside 1..=100.
    #[must_use]
    pub const fn new(value: u8) -> Option<Self> {
        match value {
            1..=100 => Some(Self(value)),
            _ => None,
        }
    }

    /// The number of percent, 1..=100.
    #[must_use]
    pub const fn get(self) -> u8 {
        self.0
    }
}

impl fmt::Display for Percent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} %", self.0)
    }
}

/// A share of a GPU's compute time, 1 to 1000 thousandths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Permille(u16);

impl Permille {
    /// All of it: no limit.
    pub const ALL: Self = Self(1000);
    /// The smallest share there is.
    pub const LEAST: Self = Self(1);

    /// The share of `value` thousandths, or `None` outside 1..=1000.
    #[must_use]
    pub const fn new(value: u16) -> Option<Self> {
        match value {
            1..=1000 => Some(Self(value)),
            _ => None,
        }
    }

    /// The number of thousandths, 1..=1000.
    #[must_use]
    pub const fn get(self) -> u16 {
        self.0
    }
}

impl From<Percent> for Permille {
    fn from(Percent(percent): Percent) -> Self {
        Self(u16::from(percent) * 10)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_display_is_exact() {
        assert_eq!(Bytes(1_073_741_825).to_string(), "1073741825");
        assert_eq!(format!("{:>5}", Bytes(7)), "    7");
    }

    #[test]
    fn human_amounts() {
        let table = [
            (0, "0 bytes"),
            (1023, "1023 bytes"),
            (MIB - 1, "1048575 bytes"),
            (MIB, "1 MiB"),
            (81_559 * MIB, "81559 MiB"),
            (80 * 1024 * MIB, "81920 MiB"),
            (1024 * MIB + MIB / 2, "1024.5 MiB"),
            (MIB + 1, "1.0 MiB"),
            (u64::MAX, "17592186044416.0 MiB"),
        ];
        for (bytes, text) in table {
            assert_eq!(Bytes(bytes).human().to_string(), text);
        }
    }

    #[test]
    fn from_mib_refuses_overflow() {
        assert_eq!(Bytes::from_mib(2), Some(Bytes(2 << 20)));
        assert_eq!(Bytes::from_mib(1 << 44), None);
    }

    #[test]
    fn percent_is_one_to_a_hundred() {
        assert_eq!(Percent::new(0), None);
        assert_eq!(Percent::new(1).map(Percent::get), Some(1));
        assert_eq!(Percent::new(100).map(Percent::get), Some(100));
        assert_eq!(Percent::new(101), None);
        assert_eq!(Percent::new(30).map(|p| p.to_string()).as_deref(), Some("30 %"));
    }

    #[test]
    fn permille_is_one_to_a_thousand() {
        assert_eq!(Permille::new(0), None);
        assert_eq!(Permille::new(1).map(Permille::get), Some(1));
        assert_eq!(Permille::new(1000), Some(Permille::ALL));
        assert_eq!(Permille::new(1001), None);
        assert_eq!(Percent::new(30).map(Permille::from), Permille::new(300));
        assert_eq!(Percent::new(100).map(Permille::from), Some(Permille::ALL));
    }
}
