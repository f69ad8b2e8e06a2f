//! What a check found.

use std::fmt::Display;

use serde::Serialize;

/// One line of the report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Finding {
    /// What was looked at.
    pub(super) check: &'static str,
    pub(super) status: Status,
    /// What is there.
    pub(super) finding: String,
    /// What to do about it, unless all is well.
    pub(super) fix: Option<String>,
}

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Status {
    /// As it should be.
    Ok,
    /// vgpu works, and something will be otherwise than one might think.
    Warn,
    /// vgpu does not work.
    Fail,
}

impl Finding {
    pub(super) fn ok(check: &'static str, finding: impl Display) -> Self {
        Self { check, status: Status::Ok, finding: finding.to_string(), fix: None }
    }

    pub(super) fn warn(check: &'static str, finding: impl Display, fix: impl Display) -> Self {
        Self { check, status: Status::Warn, finding: finding.to_string(), fix: Some(fix.to_string()) }
    }

    pub(super) fn fail(check: &'static str, finding: impl Display, fix: impl Display) -> Self {
        Self { check, status: Status::Fail, finding: finding.to_string(), fix: Some(fix.to_string()) }
    }
}

impl Status {
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Warn => "warn",
            Self::Fail => "FAIL",
        }
    }
}
