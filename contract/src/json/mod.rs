//! JSON, as annotations hold it.
//!
//! Written here because this crate is part of the preloaded library, which links no serializer. Stricter than most readers
//! where leniency would let two readers understand one text differently: a name twice in an object is an error.

mod read;

use std::fmt;

pub use read::{JsonError, MAX_DEPTH, MAX_LEN};

/// A JSON value. Numbers stay as they are written: nothing is lost between 2⁵³ and 2⁶⁴.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Json {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// The digits.
    Number(String),
    /// The text.
    Text(String),
    /// The items.
    List(Vec<Self>),
    /// Names and values in the order in which they are written, each name once.
    Object(Vec<(String, Self)>),
}

impl Json {
    /// The object with these fields, whose names must differ.
    #[must_use]
    pub fn object<const N: usize>(fields: [(&str, Self); N]) -> Self {
        Self::Object(fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
    }

    /// This text as a value.
    #[must_use]
    pub fn text(text: impl fmt::Display) -> Self {
        Self::Text(text.to_string())
    }

    /// This number as a value.
    #[must_use]
    pub fn number(number: u64) -> Self {
        Self::Number(number.to_string())
    }

    /// Which kind of value it is, for messages.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "a truth value",
            Self::Number(_) => "a number",
            Self::Text(_) => "a text",
            Self::List(_) => "a list",
            Self::Object(_) => "an object",
        }
    }
}

impl fmt::Display for Json {
    /// Writes without blanks.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("null"),
            Self::Bool(value) => value.fmt(f),
            Self::Number(digits) => f.write_str(digits),
            Self::Text(text) => write_text(f, text),
            Self::List(items) => {
                f.write_str("[")?;
                separated(f, items, |f, item| item.fmt(f))?;
                f.write_str("]")
            }
            Self::Object(fields) => {
                f.write_str("{")?;
                separated(f, fields, |f, (name, value)| {
                    write_text(f, name)?;
                    write!(f, ":{value}")
                })?;
                f.write_str("}")
            }
        }
    }
}

fn separated<T>(
    f: &mut fmt::Formatter<'_>,
    items: &[T],
    write: impl Fn(&mut fmt::Formatter<'_>, &T) -> fmt::Result,
) -> fmt::Result {
    for (at, item) in items.iter().enumerate() {
        if at > 0 {
            f.write_str(",")?;
        }
        write(f, item)?;
    }
    Ok(())
}

fn write_text(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    f.write_str("\"")?;
    for character in text.chars() {
        match character {
            '"' | '\\' => write!(f, "\\{character}")?,
            control if u32::from(control) < 0x20 => write!(f, "\\u{:04x}", u32::from(control))?,
            other => write!(f, "{other}")?,
        }
    }
    f.write_str("\"")
}
