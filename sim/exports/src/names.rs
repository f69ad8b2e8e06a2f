//! A list of symbol names in a text file.

use std::collections::BTreeSet;
use std::fmt;

/// Symbol names, sorted. The text form has one name a line; blank lines and what follows `#` are ignored.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names(BTreeSet<String>);

/// A line that is not a symbol name, or a name listed twice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NameError {
    line: usize,
    text: String,
    fault: &'static str,
}

impl fmt::Display for NameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: `{}` {}", self.line, self.text, self.fault)
    }
}

impl std::error::Error for NameError {}

impl Names {
    /// Reads the text form.
    ///
    /// # Errors
    /// A line that is not one C identifier, or that repeats an earlier one.
    pub fn parse(text: &str) -> Result<Self, NameError> {
        let mut names = BTreeSet::new();
        for (index, line) in text.lines().enumerate() {
            let name = line.split('#').next().unwrap_or_default().trim();
            if name.is_empty() {
                continue;
            }
            let fault = |fault| NameError { line: index + 1, text: name.to_owned(), fault };
            if !is_identifier(name) {
                return Err(fault("is not a symbol name"));
            }
            if !names.insert(name.to_owned()) {
                return Err(fault("is listed twice"));
            }
        }
        Ok(Self(names))
    }

    /// Whether `name` is listed.
    pub fn contains(&self, name: &str) -> bool {
        self.0.contains(name)
    }

    /// The names in order.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }
}

fn is_identifier(name: &str) -> bool {
    !name.starts_with(|c: char| c.is_ascii_digit())
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_blank_lines_are_ignored() {
        let names = Names::parse("# branch 550\n\nnvmlInit  # the oldest\nnvmlInit_v2\n").unwrap();
        assert_eq!(names.iter().collect::<Vec<_>>(), ["nvmlInit", "nvmlInit_v2"]);
    }

    #[test]
    fn a_bad_line_is_named() {
        for (text, message) in [
            ("a\nb c\n", "line 2: `b c` is not a symbol name"),
            ("9a", "line 1: `9a` is not a symbol name"),
            ("a\na", "line 2: `a` is listed twice"),
        ] {
            assert_eq!(Names::parse(text).unwrap_err().to_string(), message);
        }
    }
}
