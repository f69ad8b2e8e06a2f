//! Foreign text inside a message of one line.

use std::fmt;

/// Characters shown of a foreign value; longer ones are cut.
const SHOWN: usize = 64;

/// Prints a value that came from outside so that it cannot break or flood the line: control characters escaped, long
/// values cut, an empty value named.
pub struct Foreign<'a>(pub &'a str);

impl fmt::Display for Foreign<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("(empty)");
        }
        for character in self.0.chars().take(SHOWN) {
            if character.is_control() {
                write!(f, "{}", character.escape_default())?;
            } else {
                write!(f, "{character}")?;
            }
        }
        if self.0.chars().nth(SHOWN).is_some() { f.write_str("...") } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_foreign_value_stays_on_its_line() {
        assert_eq!(Foreign("1.5g").to_string(), "1.5g");
        assert_eq!(Foreign("").to_string(), "(empty)");
        assert_eq!(Foreign("1\n2\u{1b}[0m").to_string(), "1\\n2\\u{1b}[0m");
        assert_eq!(Foreign(&"x".repeat(64)).to_string(), "x".repeat(64));
        assert_eq!(Foreign(&"x".repeat(65)).to_string(), format!("{}...", "x".repeat(64)));
    }
}
