//! Who the processes of slices are: their ids as seen from here, their command lines, and whether they are really there.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use contract::proc_pid::{Stat, innermost_pid};

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
    stat(&proc_dir(pid)).is_some_and(|stat| stat.started == started && !stat.has_ended())
}

fn stat(dir: &Path) -> Option<Stat> {
    Stat::parse(&fs::read(dir.join("stat")).ok()?)
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
        let inner = innermost_pid(&fs::read(dir.join("status")).ok()?)?;
        Some(((namespace, inner, stat(&dir)?.started), pid))
    })
    .collect()
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
        let stat = stat(&proc_dir(me)).expect("it runs");
        assert!(!stat.has_ended());
        let started = stat.started;
        assert!(is_it(me, started));
        assert!(!is_it(me, started + 1), "an id that was given again is another process");
        assert!(command(me).expect("it has a command line").contains("monitor"));
    }
}
