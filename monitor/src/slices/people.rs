//! Who the processes of slices are: their ids as seen from here, their command lines, and whether they are really there.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::{Slice, SliceProcess};

/// The most that is read of a file in `/proc`.
const LONGEST: u64 = 4096;

/// What identifies a process wherever it is seen from: PID namespace, id in it, start time.
type Identity = (u64, u32, u64);

/// Completes what the regions say about processes by what the kernel does.
pub(super) fn introduce(slices: &mut [Slice]) {
    let here = fs::metadata("/proc/self/ns/pid").map_or(0, |namespace| namespace.ino());
    let mut processes: Vec<&mut SliceProcess> =
        slices.iter_mut().flat_map(|slice| &mut slice.processes).collect();
    let elsewhere = processes.iter().any(|process| process.pid_namespace != here);
    let foreign = if elsewhere { inner_processes(here) } else { HashMap::new() };
    for process in &mut processes {
        let pid = if process.pid_namespace == here {
            Some(process.own_pid).filter(|pid| is_it(*pid, process.started))
        } else {
            foreign.get(&(process.pid_namespace, process.own_pid, process.started)).copied()
        };
        process.pid = pid;
        process.command = pid.and_then(command);
        // A lock that is held though its process is gone is a forked child's.
        process.alive &= pid.is_some() || process.pid_namespace != here;
    }
}

fn proc_dir(pid: u32) -> PathBuf {
    Path::new("/proc").join(pid.to_string())
}

/// Whether process `pid` runs and started at `started`.
fn is_it(pid: u32, started: u64) -> bool {
    stat(&proc_dir(pid)).is_some_and(|stat| stat.started == started && !stat.has_ended)
}

/// What is read of `/proc/<pid>/stat`.
#[derive(Debug, PartialEq, Eq)]
struct Stat {
    /// Whether no thread is left. The first one may end before the others, and is a zombie then.
    has_ended: bool,
    /// When the process started, in clock ticks since boot.
    started: u64,
}

fn stat(dir: &Path) -> Option<Stat> {
    Stat::parse(&fs::read(dir.join("stat")).ok()?)
}

impl Stat {
    /// Fields 3, 20 and 22. The second field may hold anything in parentheses.
    fn parse(text: &[u8]) -> Option<Self> {
        let after_name = text.iter().rposition(|byte| *byte == b')')?;
        let rest = String::from_utf8_lossy(&text[after_name + 1..]);
        let mut fields = rest.split_ascii_whitespace();
        let is_zombie = matches!(fields.next()?, "Z" | "X" | "x");
        let threads: u64 = fields.nth(16)?.parse().ok()?;
        let started = fields.nth(1)?.parse().ok()?;
        Some(Self { has_ended: is_zombie && threads <= 1, started })
    }
}

/// Every visible process of another PID namespace than `here`, by its identity.
fn inner_processes(here: u64) -> HashMap<Identity, u32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    pids.filter_map(|pid| {
        let dir = proc_dir(pid);
        let namespace = fs::metadata(dir.join("ns/pid")).ok()?.ino();
        if namespace == here {
            return None;
        }
        Some(((namespace, innermost_pid(&dir)?, stat(&dir)?.started), pid))
    })
    .collect()
}

/// The last number of `NSpid`: the id in the process's own namespace.
fn innermost_pid(dir: &Path) -> Option<u32> {
    let status = fs::read_to_string(dir.join("status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("NSpid:"))?;
    line.split_ascii_whitespace().next_back()?.parse().ok()
}

/// The command line of process `pid`, or its name in brackets where that is empty.
fn command(pid: u32) -> Option<String> {
    let dir = proc_dir(pid);
    let mut line = Vec::new();
    File::open(dir.join("cmdline")).ok()?.take(LONGEST).read_to_end(&mut line).ok()?;
    while line.last() == Some(&0) {
        line.pop();
    }
    if line.is_empty() {
        let name = fs::read(dir.join("comm")).ok()?;
        return Some(format!("[{}]", String::from_utf8_lossy(name.trim_ascii_end())));
    }
    Some(String::from_utf8_lossy(&line).replace('\0', " "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_is_known_by_id_and_start() {
        let me = std::process::id();
        let Stat { started, has_ended } = stat(&proc_dir(me)).expect("it runs");
        assert!(!has_ended);
        assert!(is_it(me, started));
        assert!(!is_it(me, started + 1), "an id that was given again is another process");
        assert!(command(me).expect("it has a command line").contains("monitor"));
        assert_eq!(innermost_pid(&proc_dir(me)), Some(me));
    }

    #[test]
    fn a_process_whose_first_thread_has_ended_runs_on() {
        let stat = |state: &str, threads: u32| {
            let text = format!("7 (a) Z 1) {state} 1 2 3 4 5 6 1 2 3 4 5 6 7 8 9 10 {threads} 0 4242 20 21");
            Stat::parse(text.as_bytes()).expect("a stat")
        };
        let table = [("S", 1, false), ("Z", 2, false), ("Z", 1, true), ("X", 0, true)];
        for (state, threads, has_ended) in table {
            assert_eq!(stat(state, threads), Stat { has_ended, started: 4242 }, "{state} {threads}");
        }
        assert_eq!(Stat::parse(b"7 (a) S 1 2"), None);
    }
}
