//! Programs in namespaces of their own: of mounts, for what no test may do to the machine it runs on, and of processes, for
//! what a container sees.

use crate::run::Run;
use std::path::Path;
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

/// `program` with the library in a PID namespace of its own, where NVML lists processes by ids that are nobody's there.
/// `None` as above.
pub(crate) fn of_processes(program: &Path) -> Option<Run> {
    let options = ["--pid", "--fork", "--mount-proc", "--kill-child"];
    let allowed = Command::new("unshare").args(options).arg("true").output();
    if !allowed.is_ok_and(|output| output.status.success()) {
        println!("skipped: a PID namespace needs root and util-linux");
        return None;
    }
    Some(options.iter().fold(Run::preloaded("unshare"), |run, option| run.arg(option)).arg(program))
}
