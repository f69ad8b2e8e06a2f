//! Why `vgpu` itself ends, and its exit status: the ones of `env` and `docker run`.

use std::fmt::{self, Display};
use std::process::ExitCode;

/// A failure that is not the command's.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Failure {
    status: u8,
    message: String,
}

impl Failure {
    /// The arguments make no sense: status 2.
    pub(crate) fn usage(message: impl Display) -> Self {
        Self { status: 2, message: message.to_string() }
    }

    /// `vgpu` cannot do its part: status 125.
    pub(crate) fn own(message: impl Display) -> Self {
        Self { status: 125, message: message.to_string() }
    }

    /// The command is there and cannot be executed: status 126.
    pub(crate) fn cannot_execute(message: impl Display) -> Self {
        Self { status: 126, message: message.to_string() }
    }

    /// There is no such command: status 127.
    pub(crate) fn not_found(message: impl Display) -> Self {
        Self { status: 127, message: message.to_string() }
    }

    /// The exit status.
    pub(crate) fn status(&self) -> ExitCode {
        ExitCode::from(self.status)
    }
}

impl Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}
