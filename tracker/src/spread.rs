//! Values that lie close together, as addresses do, spread over all numbers.

/// The golden ratio's fraction, odd.
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// Another number for each value, of which the upper bits differ where the lower ones of values do. The lowest ones are
/// the value's own, or little more: [`spread`] is for those who look at them, too.
#[inline]
#[must_use]
pub const fn golden_product(value: u64) -> u64 {
    value.wrapping_mul(GOLDEN)
}

/// Spreads the entropy of `address` over all bits: the product has it in the upper half, the table also looks at the
/// lower one. Addresses are chosen by the driver, not by an adversary, so there is nothing to defend against.
#[inline]
pub(crate) const fn spread(address: u64) -> u64 {
    let product = golden_product(address);
    product ^ (product >> 32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn neighbours_differ_in_the_bits_that_tables_look_at() {
        // Chunks of 2 MiB, and what fits into one: a table of 256 places is filled nearly as by chance, or better.
        for stride in [256_u64, 2 << 20] {
            let addresses = (0..256).map(|place| 0x7f00_0000_0000 + place * stride);
            let upper: BTreeSet<u64> =
                addresses.clone().map(|address| golden_product(address) >> 56).collect();
            let lower: BTreeSet<u64> = addresses.map(|address| spread(address) & 0xff).collect();
            assert!(upper.len() > 140 && lower.len() > 140, "{stride}: {} {}", upper.len(), lower.len());
        }
    }
}
