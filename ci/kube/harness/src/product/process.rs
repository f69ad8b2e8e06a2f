//! Processes of the product: all of the cluster's are seen here, in whichever container of whichever node.

use rustix::process::{Pid, Signal, kill_process};
use std::fs;

/// Those on a node whose command line begins with these words.
pub fn on(node: &str, words: &[&str]) -> Vec<Pid> {
    let pods = format!("/{node}/");
    let is_there = |pid: &i32| read(*pid, "cgroup").contains(&pods);
    all().filter(|pid| begins(*pid, words)).filter(is_there).filter_map(Pid::from_raw).collect()
}

/// Kills them; says how many there were.
pub fn kill(node: &str, words: &[&str]) -> usize {
    let pids = on(node, words);
    for pid in &pids {
        // It may just have ended.
        let _ = kill_process(*pid, Signal::KILL);
    }
    pids.len()
}

/// Processes that do nothing until this is dropped.
#[derive(Debug)]
#[must_use = "they go on when it is dropped"]
pub struct Paused(Vec<Pid>);

/// Stops them where they are: connections to them stay open and nobody answers.
pub fn pause(node: &str, words: &[&str]) -> Paused {
    let pids = on(node, words);
    for pid in &pids {
        let _ = kill_process(*pid, Signal::STOP);
    }
    Paused(pids)
}

impl Drop for Paused {
    fn drop(&mut self) {
        for pid in &self.0 {
            // It may have been killed.
            let _ = kill_process(*pid, Signal::CONT);
        }
    }
}

/// All processes, by their numbers.
pub(crate) fn all() -> impl Iterator<Item = i32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

/// The words with which a process was started.
pub(crate) fn command_line(pid: i32) -> Vec<String> {
    read(pid, "cmdline").split_terminator('\0').map(str::to_owned).collect()
}

fn begins(pid: i32, words: &[&str]) -> bool {
    let line = command_line(pid);
    line.len() >= words.len() && line.iter().zip(words).all(|(is, wanted)| is == wanted)
}

/// What the kernel says of a process; nothing of one that has ended.
fn read(pid: i32, file: &str) -> String {
    let bytes = fs::read(format!("/proc/{pid}/{file}")).unwrap_or_default();
    String::from_utf8_lossy(&bytes).into_owned()
}
