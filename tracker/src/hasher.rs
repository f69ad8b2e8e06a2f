//! A hash for device addresses.

use std::hash::{BuildHasherDefault, Hasher};

/// Builds [`AddressHasher`]s for a map keyed by addresses.
pub(crate) type AddressHash = BuildHasherDefault<AddressHasher>;

/// Multiplicative hashing of one 64-bit key. Addresses are chosen by the driver, not by an adversary, so there is
/// nothing to defend against and nothing to pay for it.
#[derive(Default)]
pub(crate) struct AddressHasher(u64);

impl Hasher for AddressHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write_u64(&mut self, address: u64) {
        self.0 = spread(address);
    }

    fn write(&mut self, _bytes: &[u8]) {
        unreachable!("device addresses are hashed as u64");
    }
}

/// Spreads the entropy of `address` over all bits: the product has it in the upper half, the table also looks at the
/// lower one.
pub(crate) const fn spread(address: u64) -> u64 {
    const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;
    let product = address.wrapping_mul(GOLDEN);
    product ^ (product >> 32)
}
