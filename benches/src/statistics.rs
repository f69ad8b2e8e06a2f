//! Order statistics of a few measurements.

/// The value below which `percent` of the values lie; 0 without values.
pub(crate) fn percentile(values: &[u64], percent: usize) -> u64 {
    let mut sorted = values.to_vec();
    sorted.sort_unstable();
    let rank = (sorted.len() * percent).div_ceil(100).saturating_sub(1);
    sorted.get(rank).copied().unwrap_or(0)
}

/// The middle value.
pub(crate) fn median(values: &[u64]) -> u64 {
    percentile(values, 50)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks() {
        let values = [5, 1, 4, 2, 3];
        assert_eq!(median(&values), 3);
        assert_eq!(percentile(&values, 99), 5);
        assert_eq!(percentile(&values, 1), 1);
        assert_eq!(median(&[]), 0);
    }
}
