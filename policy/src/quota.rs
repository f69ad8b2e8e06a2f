//! Whether a request fits under a limit.

/// The limit that admits every request whose sum with the usage is a number at all.
pub const NO_LIMIT: u64 = u64::MAX;

/// Whether `request` more bytes may be charged beside the `used` bytes already charged, under `limit`.
///
/// The last byte that fits is granted. A sum of 2⁶⁴ or more never fits, whatever the limit, and nothing fits while the
/// usage is over the limit (an observed charge may have put it there), not even a request of zero bytes.
#[must_use]
pub const fn fits(used: u64, request: u64, limit: u64) -> bool {
    match used.checked_add(request) {
        Some(sum) => sum <= limit,
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_last_byte_that_fits_is_granted() {
        assert!(fits(40, 60, 100));
        assert!(!fits(40, 61, 100));
        assert!(fits(0, 0, 0));
        assert!(!fits(0, 1, 0));
    }

    #[test]
    fn nothing_fits_while_over_the_limit() {
        assert!(!fits(101, 0, 100));
    }

    #[test]
    fn a_sum_that_wraps_never_fits() {
        assert!(fits(1, u64::MAX - 1, NO_LIMIT));
        assert!(!fits(1, u64::MAX, NO_LIMIT));
        assert!(!fits(u64::MAX, u64::MAX, NO_LIMIT));
    }

    proptest! {
        #[test]
        fn agrees_with_arithmetic_that_cannot_overflow(used: u64, request: u64, limit: u64) {
            prop_assert_eq!(fits(used, request, limit), u128::from(used) + u128::from(request) <= u128::from(limit));
        }
    }
}
