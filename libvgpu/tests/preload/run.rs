//! Running a program with and without the preload library.

use crate::{alone, stage};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// A program about to be run, in an environment that holds nothing but what is said here.
pub(crate) struct Run {
    command: Command,
    preloads: Vec<PathBuf>,
    libraries: Vec<PathBuf>,
}

/// What a program said.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Said {
    pub(crate) output: String,
    pub(crate) errors: String,
    pub(crate) status: String,
}

impl Run {
    /// The program alone.
    pub(crate) fn natively(program: impl AsRef<OsStr>) -> Self {
        alone::share();
        let mut command = Command::new(program);
        command.env_clear().env("PATH", "/usr/bin:/bin");
        Self { command, preloads: Vec::new(), libraries: Vec::new() }
    }

    /// The program with the library under test in front of it.
    pub(crate) fn preloaded(program: impl AsRef<OsStr>) -> Self {
        Self::natively(program).behind(&stage::library())
    }

    /// Preloads another library, after those named before.
    pub(crate) fn behind(mut self, library: &Path) -> Self {
        self.preloads.push(library.to_path_buf());
        self
    }

    /// Looks libraries up in `directory`, after those named before and ahead of the system's.
    pub(crate) fn libraries(mut self, directory: &Path) -> Self {
        self.libraries.push(directory.to_path_buf());
        self
    }

    pub(crate) fn env(mut self, name: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    pub(crate) fn arg(mut self, argument: impl AsRef<OsStr>) -> Self {
        self.command.arg(argument);
        self
    }

    /// Runs it to its end.
    pub(crate) fn said(self) -> Said {
        let output = self.command().output().unwrap();
        Said {
            output: String::from_utf8(output.stdout).unwrap(),
            errors: String::from_utf8(output.stderr).unwrap(),
            status: output.status.to_string(),
        }
    }

    /// Runs it to its end, which must be a success, in silence on standard error. Answers with its output.
    pub(crate) fn output(self) -> String {
        let said = self.said();
        assert!(said.errors.is_empty() && said.status == "exit status: 0", "{said:#?}");
        said.output
    }

    /// Starts it with pipes to all three of its standard streams.
    pub(crate) fn start(self) -> Child {
        let mut command = self.command();
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    }

    fn command(mut self) -> Command {
        for (variable, paths) in [("LD_PRELOAD", self.preloads), ("LD_LIBRARY_PATH", self.libraries)] {
            if !paths.is_empty() {
                self.command.env(variable, std::env::join_paths(paths).unwrap());
            }
        }
        self.command
    }
}
