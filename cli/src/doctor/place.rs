//! The machine that is looked at: its files and this process's environment, or what a test puts in their place.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// Where to look.
#[derive(Debug)]
pub(super) struct Place {
    root: PathBuf,
    variables: Vec<(OsString, OsString)>,
}

impl Place {
    /// This machine, as this process sees it.
    pub(super) fn here() -> Self {
        Self { root: PathBuf::from("/"), variables: std::env::vars_os().collect() }
    }

    /// The file at the absolute `path`.
    pub(super) fn file(&self, path: impl AsRef<Path>) -> PathBuf {
        let path = path.as_ref();
        self.root.join(path.strip_prefix("/").unwrap_or(path))
    }

    /// The value of a variable that is set and not empty.
    pub(super) fn variable(&self, name: &str) -> Option<&OsStr> {
        let found = self.variables.iter().find(|(key, _)| key == name);
        found.map(|(_, value)| value.as_os_str()).filter(|value| !value.is_empty())
    }

    /// A variable's value as text; what is no text has marks in its place.
    pub(super) fn text(&self, name: &str) -> Option<String> {
        self.variable(name).map(|value| value.to_string_lossy().into_owned())
    }
}

#[cfg(test)]
impl Place {
    /// The machine whose files are below `root`, with these variables.
    pub(super) fn at(root: &Path, variables: &[(&str, &str)]) -> Self {
        let variables = variables.iter().map(|(name, value)| (name.into(), value.into())).collect();
        Self { root: root.to_owned(), variables }
    }
}
