//! A program that does not use CUDA, which the library costs something as well: it is preloaded into every process.

use anyhow::{Context, Result, ensure};
use benches::subject::{Setting, Subject};
use benches::work::Work;
use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};

/// The processor time of `true` in `setting` from its start to its end, in nanoseconds.
///
/// # Errors
/// There is no such program, it failed, or the kernel does not tell.
pub(crate) fn start(subject: &Subject, setting: Setting) -> Result<u64> {
    // It does not look at its arguments.
    let mut child = subject.command(&["true"], setting, Work::Start, 1)?.spawn().context("true")?;
    let id = i32::try_from(child.id()).ok().and_then(Pid::from_raw).context("no process id")?;
    // It has ended then, and what it has used is still told.
    waitid(WaitId::Pid(id), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT)?;
    let path = format!("/proc/{}/schedstat", child.id());
    let told = std::fs::read_to_string(&path);
    ensure!(child.wait()?.success(), "true failed in setting {setting:?}");
    let told = told.context(path.clone())?;
    let used = told.split_whitespace().next().and_then(|word| word.parse().ok());
    used.with_context(|| format!("{path} says {told:?}"))
}
