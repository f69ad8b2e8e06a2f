//! Amounts as Kubernetes writes them: `2`, `1k`, `8Gi`, `1e3`.

use std::fmt;

use crate::text::Foreign;

/// The text is no whole number, or a negative one, or more than 2⁶⁴.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuantityError(String);

impl fmt::Display for QuantityError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is no whole number of 0 or more", Foreign(&self.0))
    }
}

impl std::error::Error for QuantityError {}

/// Reads a whole amount, as extended resources are counted in. The API server accepts fractions that come to a whole number only
/// in another form (`0.5k`), and stores them without.
///
/// # Errors
/// [`QuantityError`]: it is none.
pub fn whole(text: &str) -> Result<u64, QuantityError> {
    let unsigned = text.strip_prefix('+').unwrap_or(text);
    let end = unsigned.find(|c: char| !c.is_ascii_digit()).unwrap_or(unsigned.len());
    let (digits, suffix) = unsigned.split_at(end);
    let read = || digits.parse::<u64>().ok()?.checked_mul(factor(suffix)?);
    read().ok_or_else(|| QuantityError(text.to_owned()))
}

fn factor(suffix: &str) -> Option<u64> {
    const DECIMAL: [&str; 6] = ["k", "M", "G", "T", "P", "E"];
    const BINARY: [&str; 6] = ["Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
    let power = |of: [&str; 6]| (1_u32..).zip(of).find_map(|(power, of)| (of == suffix).then_some(power));
    if suffix.is_empty() {
        Some(1)
    } else if let Some(power) = power(DECIMAL) {
        1000_u64.checked_pow(power)
    } else if let Some(power) = power(BINARY) {
        1024_u64.checked_pow(power)
    } else {
        10_u64.checked_pow(suffix.strip_prefix(['e', 'E'])?.parse().ok()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_amounts_are_read_in_every_form_that_the_api_server_writes() {
        for (text, amount) in [
            ("0", 0),
            ("8192", 8192),
            ("8k", 8000),
            ("8Ki", 8192),
            ("2e3", 2000),
            ("1E", 1_000_000_000_000_000_000),
            ("15Ei", 15 << 60),
            ("+5", 5),
            ("2e+3", 2000),
        ] {
            assert_eq!(whole(text), Ok(amount), "{text}");
        }
    }

    #[test]
    fn what_is_no_whole_amount_is_named() {
        for text in [
            "",
            "k",
            "+",
            "++1",
            "+-1",
            "-1",
            "1.5",
            "500m",
            "16Ei",
            "1ki",
            "1e",
            "1e-3",
            "1e99",
            "99999999999999999999",
        ] {
            let error = whole(text).unwrap_err().to_string();
            assert!(error.ends_with("is no whole number of 0 or more"), "{error}");
        }
    }
}
