//! Programs in a mount namespace of their own, for what no test may do to the machine it runs on.

use crate::run::Run;
use std::process::Command;

/// The shell script `script` with `arguments`, run where its mounts are nobody else's. `None` where this machine does not
/// allow that, and then the test says so.
pub(crate) fn script(script: &str, arguments: &[&str]) -> Option<Run> {
    let allowed = Command::new("unshare").args(["--mount", "true"]).output();
    if !allowed.is_ok_and(|output| output.status.success()) {
        println!("skipped: a mount namespace needs root and util-linux");
        return None;
    }
    let run = Run::natively("unshare").arg("--mount").arg("sh").arg("-euc").arg(script).arg("sh");
    Some(arguments.iter().fold(run, |run, argument| run.arg(argument)))
}
