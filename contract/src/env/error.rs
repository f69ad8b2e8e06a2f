//! A variable that cannot be understood.

use std::fmt;

use crate::size::SizeError;
use crate::text::Foreign;

/// A variable whose value is wrong. `Display` is one whole line for standard error, without a newline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnvError {
    name: String,
    fault: Fault,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Fault {
    Size(SizeError),
    Other { value: String, rest: &'static str },
}

impl EnvError {
    pub(super) fn size(name: &str, error: SizeError) -> Self {
        Self { name: name.to_owned(), fault: Fault::Size(error) }
    }

    /// `rest` follows the value and says what is wrong and how to put it right.
    pub(super) fn other(name: &str, value: &str, rest: &'static str) -> Self {
        Self { name: name.to_owned(), fault: Fault::Other { value: value.to_owned(), rest } }
    }

    /// The variable's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl fmt::Display for EnvError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "vgpu: {}=", self.name)?;
        match &self.fault {
            Fault::Size(error) => error.fmt(f),
            Fault::Other { value, rest } => write!(f, "{} {rest}", Foreign(value)),
        }
    }
}

impl std::error::Error for EnvError {}
