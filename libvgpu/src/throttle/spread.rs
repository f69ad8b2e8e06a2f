//! Values that lie close together, as addresses do, spread over all numbers.

/// Another number for each value, of which the upper bits differ where the lower ones of values do.
#[inline]
pub(super) const fn spread(value: u64) -> u64 {
    /// The golden ratio's fraction, odd.
    const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;
    value.wrapping_mul(GOLDEN)
}
