//! Running other programs: echoed before they start, an error that repeats the command line when they fail.

use anyhow::{Context, Result, bail};
use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Stdio};

/// A command that has ended with an exit status that means something.
#[derive(Debug)]
pub(crate) struct Ended {
    line: String,
    pub(crate) code: u8,
}

impl std::fmt::Display for Ended {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "`{}` ended with exit status {}", self.line, self.code)
    }
}

impl std::error::Error for Ended {}

/// A program about to be run.
pub(crate) struct Run(Command);

impl Run {
    pub(crate) fn new(program: impl AsRef<OsStr>) -> Self {
        Self(Command::new(program))
    }

    /// Cargo, the one that started us when there is one.
    pub(crate) fn cargo(subcommand: &str) -> Self {
        Self(unnamed(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))).arg(subcommand)
    }

    pub(crate) fn arg(mut self, argument: impl AsRef<OsStr>) -> Self {
        self.0.arg(argument);
        self
    }

    pub(crate) fn args<S: AsRef<OsStr>>(mut self, arguments: impl IntoIterator<Item = S>) -> Self {
        self.0.args(arguments);
        self
    }

    pub(crate) fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.0.env(name, value);
        self
    }

    pub(crate) fn dir(mut self, directory: &Path) -> Self {
        self.0.current_dir(directory);
        self
    }

    /// Runs it with our own output, and fails unless it exits with 0.
    pub(crate) fn run(mut self) -> Result<()> {
        let line = self.line();
        eprintln!("$ {line}");
        let status =
            self.0.stdin(Stdio::null()).status().with_context(|| format!("cannot start `{line}`"))?;
        if !status.success() {
            bail!("`{line}` failed: {status}");
        }
        Ok(())
    }

    /// As [`Run::run`], and the command's exit status is to be ours: it says which of several things went wrong.
    pub(crate) fn run_and_pass_on(mut self) -> Result<()> {
        let line = self.line();
        eprintln!("$ {line}");
        let status =
            self.0.stdin(Stdio::null()).status().with_context(|| format!("cannot start `{line}`"))?;
        match status.code().map(u8::try_from) {
            Some(Ok(0)) => Ok(()),
            Some(Ok(code)) => Err(Ended { line, code }.into()),
            _ => bail!("`{line}` failed: {status}"),
        }
    }

    /// Runs it and returns what it wrote on standard output; standard error stays ours.
    pub(crate) fn stdout(mut self) -> Result<String> {
        let line = self.line();
        let output = self.0.stdin(Stdio::null()).stderr(Stdio::inherit()).output();
        let output = output.with_context(|| format!("cannot start `{line}`"))?;
        if !output.status.success() {
            bail!("`{line}` failed: {}", output.status);
        }
        String::from_utf8(output.stdout).with_context(|| format!("output of `{line}`"))
    }

    /// The command line as a person would type it, near enough to read.
    fn line(&self) -> String {
        let program = Path::new(self.0.get_program()).file_name().unwrap_or_default();
        let words = std::iter::once(program).chain(self.0.get_args());
        words.map(OsStr::to_string_lossy).collect::<Vec<_>>().join(" ")
    }
}

/// A program that is not told which crate we are. Cargo tells us, and a build script that asks (ring's does) would be run
/// again, and its crate compiled again, whenever the cargo that builds it was started by another crate than last time.
pub(crate) fn unnamed(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    let names = std::env::vars_os().map(|(name, _)| name);
    for name in names.filter(|name| {
        let name = name.to_string_lossy();
        name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_")
    }) {
        command.env_remove(name);
    }
    command
}
