//! The namespaces of a cluster. They are found by the command line of their first process: no file can be stale.

use crate::folder::{self, Folder};
use crate::programs;
use anyhow::{Context, Result, bail};
use rustix::process::{Pid, Signal, kill_process};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::process::Command;
use std::time::{Duration, Instant};

/// How long the kernel may take to end all that is in them.
const PATIENCE: Duration = Duration::from_secs(20);

/// A program, and its arguments, to be run in the cluster's namespaces, with kubectl and the rest at hand.
///
/// # Errors
/// No cluster is up.
pub fn command<S: AsRef<OsStr>>(folder: &Folder, words: &[S]) -> Result<Command> {
    let Some(first) = first_process(folder)? else {
        bail!("no cluster is up in {}; `cargo xtask kube up` starts one", folder.path().display());
    };
    let here = std::env::current_dir().context("there is no current directory")?;
    let mut command = Command::new("nsenter");
    command.args(["--mount", "--net", "--pid", "--target", &first.to_string()]);
    let mut directory = OsString::from("--wdns=");
    directory.push(here);
    command.arg(directory).arg("--").args(words);
    command.env("PATH", programs::path()?);
    command.env("KUBECONFIG", folder.kubeconfig("admin")).env(folder::VARIABLE, folder.path());
    Ok(command)
}

/// Number 1 of the process namespace, as numbered here.
pub(crate) fn first_process(folder: &Folder) -> Result<Option<i32>> {
    Ok(processes(folder)?.into_iter().find(|pid| is_first(*pid)))
}

/// Ends everything in them, and returns when nothing is left.
pub(crate) fn end(folder: &Folder) -> Result<()> {
    let start = Instant::now();
    loop {
        let processes = processes(folder)?;
        if processes.is_empty() {
            return Ok(());
        }
        for pid in processes.iter().filter_map(|pid| Pid::from_raw(*pid)) {
            // It may have gone by itself.
            let _ = kill_process(pid, Signal::KILL);
        }
        if start.elapsed() > PATIENCE {
            bail!("processes {processes:?} of the cluster do not end");
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// The first process and `unshare`, which waits for it: whose arguments are `FOLDER init`.
fn processes(folder: &Folder) -> Result<Vec<i32>> {
    let entries = fs::read_dir("/proc").context("cannot list /proc")?;
    let numbers = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    Ok(numbers.filter(|pid| starts_cluster(*pid, folder)).collect())
}

fn starts_cluster(pid: i32, folder: &Folder) -> bool {
    let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let words: Vec<&[u8]> = line.split(|byte| *byte == 0).collect();
    words.windows(2).any(|pair| pair == [folder.path().as_os_str().as_encoded_bytes(), b"init".as_slice()])
}

fn is_first(pid: i32) -> bool {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let numbers = status.lines().find_map(|line| line.strip_prefix("NSpid:"));
    numbers.is_some_and(|numbers| numbers.split_whitespace().skip(1).last() == Some("1"))
}
