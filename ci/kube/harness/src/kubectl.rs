//! kubectl, the client that everybody has.

use std::io::Write;
use std::process::{Command, Output, Stdio};

/// Runs kubectl with `input`, and returns what it wrote.
///
/// # Errors
/// What it said, when it failed.
pub fn kubectl(arguments: &[&str], input: &str) -> Result<String, String> {
    let output = output(arguments, input);
    if output.status.success() {
        return Ok(text(&output.stdout));
    }
    Err(format!("kubectl {}: {}", arguments.join(" "), text(&output.stderr).trim()))
}

fn output(arguments: &[&str], input: &str) -> Output {
    let mut child = Command::new("kubectl")
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("cannot start kubectl: {error}"));
    if let Some(mut stdin) = child.stdin.take() {
        // Whoever does not read it says why.
        let _ = stdin.write_all(input.as_bytes());
    }
    child.wait_with_output().unwrap_or_else(|error| panic!("kubectl: {error}"))
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
