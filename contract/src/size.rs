//! Memory sizes as people write them.

use std::fmt;

use crate::Bytes;
use crate::text::Foreign;

/// Reads a size: decimal digits, then nothing (bytes) or one of `k m g t`, `K M G T`, `Ki Mi Gi Ti`, each a power of 1024.
///
/// Stricter than the C parser that these variables come from, which reads `1.5g` as 1 GiB, `1024MB` as 1024 bytes and
/// `08g` (octal) as no limit at all.
///
/// # Errors
/// [`SizeError`] for every other text, for a leading zero, and for 2⁶⁴ bytes or more.
pub fn parse(text: &str) -> Result<Bytes, SizeError> {
    let error = |fault| SizeError { value: text.to_owned(), fault };
    let end = text.bytes().position(|byte| !byte.is_ascii_digit()).unwrap_or(text.len());
    let (digits, suffix) = text.split_at(end);
    let unit = unit(suffix).ok_or_else(|| error(Fault::NotASize))?;
    match digits.as_bytes() {
        [] => return Err(error(Fault::NotASize)),
        [b'0', _, ..] => return Err(error(Fault::LeadingZero)),
        _ => {}
    }
    let count: u64 = digits.parse().map_err(|_| error(Fault::TooLarge))?;
    count.checked_mul(unit).map(Bytes).ok_or_else(|| error(Fault::TooLarge))
}

/// Bytes that one of `suffix` stands for.
fn unit(suffix: &str) -> Option<u64> {
    Some(match suffix {
        "" => 1,
        "k" | "K" | "Ki" => 1 << 10,
        "m" | "M" | "Mi" => 1 << 20,
        "g" | "G" | "Gi" => 1 << 30,
        "t" | "T" | "Ti" => 1 << 40,
        _ => return None,
    })
}

/// A text that is not a size. `Display` names the text and the accepted forms, in one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SizeError {
    value: String,
    fault: Fault,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    NotASize,
    LeadingZero,
    TooLarge,
}

impl fmt::Display for SizeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rest = match self.fault {
            Fault::NotASize => {
                "is not a size; write whole bytes or a whole number with k, m, g, t, Ki, Mi, Gi or Ti, for example 1536m"
            }
            Fault::LeadingZero => {
                "is not a size: it starts with a zero; write it without, for example 8g, or 0 for no limit"
            }
            Fault::TooLarge => "is not a size: it is 2^64 bytes or more; write a smaller one, for example 8g",
        };
        write!(f, "{} {rest}", Foreign(&self.value))
    }
}

impl std::error::Error for SizeError {}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_same_size_in_every_spelling() {
        for text in ["1g", "1G", "1Gi", "1024m", "1024M", "1024Mi", "1048576k", "1048576Ki", "1073741824"] {
            assert_eq!(parse(text), Ok(Bytes(1 << 30)), "{text}");
        }
    }

    #[test]
    fn other_sizes() {
        let table = [
            ("0", 0),
            ("0m", 0),
            ("0Gi", 0),
            ("1", 1),
            ("1t", 1 << 40),
            ("2Ti", 2 << 40),
            ("18446744073709551615", u64::MAX),
            ("16777215t", 16_777_215 << 40),
        ];
        for (text, bytes) in table {
            assert_eq!(parse(text), Ok(Bytes(bytes)), "{text}");
        }
    }

    #[test]
    fn what_is_not_a_size_is_refused_by_name() {
        let refused = [
            "1.5g", "1024MB", "-1", "abc", " 1g", "1g ", "1 g", "1e9", "0x10m", "+1", "1gi", "1GI", "1GiB",
            "1ki", "g", "1gg", "1,5g", "١g", "1g\n",
        ];
        for text in refused {
            let error = parse(text).expect_err(text).to_string();
            assert_eq!(
                error,
                format!(
                    "{} is not a size; write whole bytes or a whole number with k, m, g, t, Ki, Mi, Gi or Ti, for example 1536m",
                    text.replace('\n', "\\n")
                )
            );
        }
    }

    #[test]
    fn an_empty_size_is_named() {
        assert!(parse("").expect_err("empty").to_string().starts_with("(empty) is not a size; "));
    }

    #[test]
    fn a_leading_zero_is_not_octal() {
        for text in ["08g", "00", "010", "01m"] {
            let error = parse(text).expect_err(text).to_string();
            assert!(error.starts_with(&format!("{text} is not a size: it starts with a zero; ")), "{error}");
        }
    }

    #[test]
    fn more_than_fits_is_refused() {
        for text in ["18446744073709551616", "16777216t", "17179869184g", "99999999999999999999999"] {
            let error = parse(text).expect_err(text).to_string();
            assert!(
                error.starts_with(&format!("{text} is not a size: it is 2^64 bytes or more; ")),
                "{error}"
            );
        }
    }

    proptest! {
        #[test]
        fn exact_bytes_are_read_back(bytes: u64) {
            prop_assert_eq!(parse(&Bytes(bytes).to_string()), Ok(Bytes(bytes)));
        }

        #[test]
        fn suffixes_scale_by_1024(count in 0u64..1 << 24, power in 0usize..4) {
            let unit = ["k", "Mi", "G", "t"][power];
            let scale = 1u64 << (10 * (power + 1));
            prop_assert_eq!(parse(&format!("{count}{unit}")).ok(), count.checked_mul(scale).map(Bytes));
        }

        #[test]
        fn any_text_is_a_size_or_an_error_of_one_line(text: String) {
            if let Err(error) = parse(&text) {
                prop_assert!(!error.to_string().contains('\n'));
            }
        }
    }
}
