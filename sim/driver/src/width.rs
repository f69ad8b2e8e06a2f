//! Addresses and sizes of this process are those of the device: both have 64 bits.

const _: () = assert!(usize::BITS == 64, "device addresses are addresses of this process");

/// A size or address of the device as one of this process.
#[expect(clippy::cast_possible_truncation, reason = "asserted above")]
pub(crate) const fn to_usize(number: u64) -> usize {
    number as usize
}
