//! Names of pods and containers, such that they can be names of files as well.

use std::fmt;
use std::str::FromStr;

use crate::resources::is_dns_label;
use crate::text::Foreign;

/// What identifies a pod for ever, unlike its name.
///
/// The API server's are UUIDs, those of pods from a node's own files are digests; this is either: letters, digits and hyphens,
/// so also a name of a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PodUid(String);

/// The name of a container in its pod, init containers included: a DNS label, so also a name of a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContainerName(String);

/// A pod's uid or a container's name is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NameError {
    what: &'static str,
    text: String,
}

impl fmt::Display for NameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is no {}", Foreign(&self.text), self.what)
    }
}

impl std::error::Error for NameError {}

impl PodUid {
    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl ContainerName {
    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for PodUid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for ContainerName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for PodUid {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, NameError> {
        let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
        if (1..=64).contains(&text.len()) && text.bytes().all(is_part) {
            Ok(Self(text.to_owned()))
        } else {
            Err(NameError { what: "uid of a pod", text: text.to_owned() })
        }
    }
}

impl FromStr for ContainerName {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, NameError> {
        if is_dns_label(text) {
            Ok(Self(text.to_owned()))
        } else {
            Err(NameError { what: "name of a container", text: text.to_owned() })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_lead_to_another_directory_is_no_name() {
        for text in ["", ".", "..", "a/b", "a_b", "../x", "a\0", "ä", "a b", "/"] {
            assert!(text.parse::<PodUid>().is_err(), "{text:?}");
            assert!(text.parse::<ContainerName>().is_err(), "{text:?}");
        }
        assert!("Main".parse::<ContainerName>().is_err());
        assert!("a".repeat(65).parse::<PodUid>().is_err());
        let error = "../x".parse::<PodUid>().unwrap_err().to_string();
        assert_eq!(error, "../x is no uid of a pod");
    }

    #[test]
    fn uids_of_the_api_server_and_of_files_are_read() {
        for text in ["3f1c2a9e-1d2b-4c3d-8e4f-0123456789ab", "0f4d6c9b5a3e2d1c0f4d6c9b5a3e2d1c"] {
            assert_eq!(text.parse::<PodUid>().unwrap().as_str(), text);
        }
        assert_eq!("main-1".parse::<ContainerName>().unwrap().to_string(), "main-1");
    }
}
