//! The slice's processes on a device, under the ids that this process knows them by.
//!
//! Who they are comes from the region, where each process has written its id in its own PID namespace. NVML is not asked:
//! it lists everybody on the card, and usually under ids of the host.

use contract::Bytes;
use shared_region::Holder;
use std::fs;
use std::os::unix::fs::MetadataExt;

/// A process of the slice.
#[derive(Clone, Copy)]
pub(crate) struct Process {
    /// Its id as `ps` shows it to this process.
    pub(crate) pid: u32,
    /// What it is charged for.
    pub(crate) used: Bytes,
}

/// Those of `holders` that this process can see, by id. One whose PID namespace is neither this process's own nor inside it
/// has no id here, and is left out.
pub(super) fn visible(holders: Vec<Holder>) -> Vec<Process> {
    let own_namespace = namespace_of("self");
    let pid = |holder: &Holder| match holder.pid_namespace {
        0 => None,
        namespace if Some(namespace) == own_namespace => Some(holder.pid),
        _ => find_inside(holder),
    };
    let mut processes: Vec<_> =
        holders.iter().filter_map(|holder| Some(Process { pid: pid(holder)?, used: holder.used })).collect();
    processes.sort_unstable_by_key(|process| process.pid);
    processes
}

/// The id here of a process that lives in a namespace inside this one.
fn find_inside(holder: &Holder) -> Option<u32> {
    let mut entries = fs::read_dir("/proc").ok()?.filter_map(Result::ok);
    entries.find_map(|entry| {
        let pid = entry.file_name().to_str()?.parse().ok()?;
        is_it(pid, holder).then_some(pid)
    })
}

/// Whether the process `pid` of this namespace is the one that wrote its identity into the region.
fn is_it(pid: u32, holder: &Holder) -> bool {
    let read = |file: &str| fs::read(format!("/proc/{pid}/{file}")).unwrap_or_default();
    // Another user's namespace cannot be looked at, but the other two are told to everybody.
    let may_be_there =
        namespace_of(&pid.to_string()).is_none_or(|namespace| namespace == holder.pid_namespace);
    may_be_there
        && innermost_pid(&read("status")) == Some(holder.pid)
        && start_time(&read("stat")) == Some(holder.started)
}

/// Inode number of a process's PID namespace.
fn namespace_of(process: &str) -> Option<u64> {
    fs::metadata(format!("/proc/{process}/ns/pid")).ok().map(|namespace| namespace.ino())
}

/// A process's id in its own namespace, the last of the `NSpid` line of `/proc/<pid>/status` (Linux 4.1).
fn innermost_pid(status: &[u8]) -> Option<u32> {
    let status = String::from_utf8_lossy(status);
    let ids = status.lines().find_map(|line| line.strip_prefix("NSpid:"))?;
    ids.split_ascii_whitespace().last()?.parse().ok()
}

/// When a process started, field 22 of `/proc/<pid>/stat`. The name in field 2 may contain anything, also parentheses.
fn start_time(stat: &[u8]) -> Option<u64> {
    let stat = String::from_utf8_lossy(stat);
    let (_, after_name) = stat.rsplit_once(')')?;
    after_name.split_ascii_whitespace().nth(19)?.parse().ok()
}
