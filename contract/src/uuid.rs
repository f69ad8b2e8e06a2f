//! The identity of a GPU.

use std::fmt;
use std::str::FromStr;

/// The 16 bytes that identify a GPU on every machine; any byte may be zero.
///
/// Written as `nvidia-smi -L` does: `GPU-` and lower-case hexadecimal digits in groups of 8, 4, 4, 4 and 12.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Uuid(pub [u8; 16]);

/// What NVML and `nvidia-smi` put before the digits.
const PREFIX: &str = "GPU-";
/// Positions of the hyphens among the digits.
const HYPHENS: [usize; 4] = [8, 13, 18, 23];
/// Digits and hyphens, without the prefix.
const LEN: usize = 36;

impl fmt::Display for Uuid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(PREFIX)?;
        for (index, byte) in self.0.iter().enumerate() {
            if matches!(index, 4 | 6 | 8 | 10) {
                f.write_str("-")?;
            }
            write!(f, "{byte:02x}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for Uuid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The text is not a GPU UUID.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParseUuidError;

impl fmt::Display for ParseUuidError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not a GPU UUID of the form GPU-xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx")
    }
}

impl std::error::Error for ParseUuidError {}

impl FromStr for Uuid {
    type Err = ParseUuidError;

    /// Reads the form that `Display` writes, with or without `GPU-`, digits in either case.
    fn from_str(text: &str) -> Result<Self, ParseUuidError> {
        let digits = text.strip_prefix(PREFIX).unwrap_or(text).as_bytes();
        if digits.len() != LEN || HYPHENS.iter().any(|&at| digits[at] != b'-') {
            return Err(ParseUuidError);
        }
        let mut nibbles = (0..LEN).filter(|at| !HYPHENS.contains(at)).map(|at| nibble(digits[at]));
        let mut next = || nibbles.next().flatten().ok_or(ParseUuidError);
        let mut bytes = [0; 16];
        for byte in &mut bytes {
            *byte = next()? << 4 | next()?;
        }
        Ok(Self(bytes))
    }
}

/// The value of one hexadecimal digit.
const fn nibble(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        b'A'..=b'F' => Some(digit - b'A' + 10),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TEXT: &str = "GPU-00a1b2c3-d4e5-f607-0819-2a3b4c5d6e00";
    const UUID: Uuid = Uuid([
        0x00, 0xa1, 0xb2, 0xc3, 0xd4, 0xe5, 0xf6, 0x07, 0x08, 0x19, 0x2a, 0x3b, 0x4c, 0x5d, 0x6e, 0x00,
    ]);

    #[test]
    fn written_as_nvidia_smi_does() {
        assert_eq!(UUID.to_string(), TEXT);
        assert_eq!(format!("{UUID:?}"), TEXT);
    }

    #[test]
    fn read_with_and_without_the_prefix_in_either_case() {
        assert_eq!(TEXT.parse(), Ok(UUID));
        assert_eq!(TEXT[4..].parse(), Ok(UUID));
        assert_eq!(TEXT[4..].to_uppercase().parse(), Ok(UUID));
    }

    #[test]
    fn everything_else_is_refused() {
        let refused = [
            "",
            "GPU-",
            "gpu-00a1b2c3-d4e5-f607-0819-2a3b4c5d6e00",
            "MIG-00a1b2c3-d4e5-f607-0819-2a3b4c5d6e00",
            "GPU-00a1b2c3-d4e5-f607-0819-2a3b4c5d6e0",
            "GPU-00a1b2c3-d4e5-f607-0819-2a3b4c5d6e000",
            "GPU-00a1b2c3d4e5-f607-0819-2a3b-4c5d6e00",
            "GPU-00a1b2c3-d4e5-f607-0819-2a3b4c5d6eg0",
            "GPU-+0a1b2c3-d4e5-f607-0819-2a3b4c5d6e00",
            "GPU-00a1b2c3-d4e5-f607-0819-2a3b4c5d6é0",
        ];
        for text in refused {
            assert_eq!(text.parse::<Uuid>(), Err(ParseUuidError), "{text}");
        }
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(bytes: [u8; 16]) {
            prop_assert_eq!(Uuid(bytes).to_string().parse(), Ok(Uuid(bytes)));
        }

        #[test]
        fn any_text_is_read_or_refused(text: String) {
            if let Ok(uuid) = text.parse::<Uuid>() {
                let digits = uuid.to_string();
                prop_assert!(digits.ends_with(&text.trim_start_matches("GPU-").to_lowercase()));
            }
        }
    }
}
