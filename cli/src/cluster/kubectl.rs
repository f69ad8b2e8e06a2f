//! kubectl, which everybody who has a cluster has, with every way to sign in that there is.

use std::io;
use std::process::{Command, Stdio};

use crate::failure::Failure;

/// kubectl, for one context.
pub(crate) struct Kubectl<'a> {
    context: Option<&'a str>,
}

impl<'a> Kubectl<'a> {
    pub(crate) const fn new(context: Option<&'a str>) -> Self {
        Self { context }
    }

    /// The namespace of the context, which is `default` where it names none.
    pub(crate) fn namespace(&self) -> Result<String, Failure> {
        let path = "jsonpath={.contexts[0].context.namespace}";
        let said = self.run(&["config", "view", "--minify", "--output", path]).map_err(Failure::own)?;
        let namespace = said.trim();
        Ok(if namespace.is_empty() { "default" } else { namespace }.to_owned())
    }

    /// What the API server answers to a request of a path.
    pub(crate) fn raw(&self, path: &str) -> Result<String, String> {
        self.run(&["get", "--raw", path])
    }

    fn run(&self, words: &[&str]) -> Result<String, String> {
        let mut command = Command::new("kubectl");
        command.args(self.context.map(|name| format!("--context={name}"))).args(words);
        let output = command.stdin(Stdio::null()).output().map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => "there is no kubectl on PATH; install it".to_owned(),
            _ => format!("cannot start kubectl: {error}"),
        })?;
        if output.status.success() {
            Ok(String::from_utf8_lossy(&output.stdout).into_owned())
        } else {
            Err(format!("kubectl says: {}", String::from_utf8_lossy(&output.stderr).trim()))
        }
    }
}
