//! The opaque name that `Allocate` answers with.

use std::fmt;
use std::str::FromStr;

/// Bytes of a token: enough that none is ever drawn twice.
const LEN: usize = 16;

/// Names one answer to `Allocate`, and so the container that kubelet keeps the answer for.
///
/// Drawn at random and never derived from device ids: kubelet hands the ids of an init container that has finished to a
/// later container of the pod. Written as 32 lower-case hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Token([u8; LEN]);

impl Token {
    /// A new one, from the kernel's random numbers.
    ///
    /// # Errors
    /// The kernel gives none.
    pub fn draw() -> std::io::Result<Self> {
        let mut bytes = [0; LEN];
        let mut filled = 0;
        while filled < LEN {
            filled += rustix::rand::getrandom(&mut bytes[filled..], rustix::rand::GetRandomFlags::empty())?;
        }
        Ok(Self(bytes))
    }
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The text is not a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a token of 32 lower-case hexadecimal digits")]
pub struct ParseTokenError;

impl FromStr for Token {
    type Err = ParseTokenError;

    /// Reads what `Display` writes, and nothing else: tokens become names of files.
    fn from_str(text: &str) -> Result<Self, ParseTokenError> {
        let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        if text.len() != 2 * LEN || !text.bytes().all(is_digit) {
            return Err(ParseTokenError);
        }
        let number = u128::from_str_radix(text, 16).map_err(|_| ParseTokenError)?;
        Ok(Self(number.to_be_bytes()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn no_two_are_the_same() {
        assert_ne!(Token::draw().unwrap(), Token::draw().unwrap());
    }

    #[test]
    fn what_could_be_another_file_is_refused() {
        let good = "0123456789abcdef0123456789abcdef";
        assert_eq!(good.parse::<Token>().unwrap().to_string(), good);
        for text in
            ["", "..", "0123456789ABCDEF0123456789abcdef", "+123456789abcdef0123456789abcdef", &good[1..]]
        {
            assert_eq!(text.parse::<Token>(), Err(ParseTokenError), "{text}");
        }
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(bytes: [u8; LEN]) {
            prop_assert_eq!(Token(bytes).to_string().parse(), Ok(Token(bytes)));
        }
    }
}
