//! The slice's processes on a device, under the ids that this process knows them by.
//!
//! Who they are comes from the region, where each process has written its id in its own PID namespace. NVML is not asked:
//! it lists everybody on the card, and usually under ids of the host.

use contract::Bytes;
use contract::proc_pid::{Stat, innermost_pid};
use shared_region::Holder;
use std::collections::{BTreeMap, BTreeSet};
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
    let is_here = |holder: &Holder| Some(holder.pid_namespace) == own_namespace;
    // One look at everybody, however many are looked for.
    let inside = Inside::look(holders.iter().filter(|holder| holder.pid_namespace != 0 && !is_here(holder)));
    let pid = |holder: &Holder| if is_here(holder) { Some(holder.pid) } else { inside.find(holder) };
    let mut processes: Vec<_> =
        holders.iter().filter_map(|holder| Some(Process { pid: pid(holder)?, used: holder.used })).collect();
    processes.sort_unstable_by_key(|process| process.pid);
    processes
}

/// Processes that have other ids in namespaces of their own, by those and by when they started.
struct Inside(BTreeMap<(u32, u64), Vec<Seen>>);

/// A process as it is seen from here.
#[derive(Clone, Copy)]
struct Seen {
    pid: u32,
    /// Its PID namespace; `None` where this user may not know it.
    namespace: Option<u64>,
}

impl Inside {
    /// Those that could be one of `holders`.
    fn look<'a>(holders: impl Iterator<Item = &'a Holder>) -> Self {
        let mut found: BTreeMap<_, _> =
            holders.map(|holder| ((holder.pid, holder.started), Vec::new())).collect();
        if found.is_empty() {
            return Self(found);
        }
        let ids: BTreeSet<u32> = found.keys().map(|(id, _)| *id).collect();
        let entries = fs::read_dir("/proc").into_iter().flatten().filter_map(Result::ok);
        for pid in entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()) {
            let read = |file: &str| fs::read(format!("/proc/{pid}/{file}")).unwrap_or_default();
            let id = innermost_pid(&read("status")).filter(|id| ids.contains(id));
            let key = id.and_then(|id| Some((id, Stat::parse(&read("stat"))?.started)));
            if let Some(seen) = key.and_then(|key| found.get_mut(&key)) {
                seen.push(Seen { pid, namespace: namespace_of(&pid.to_string()) });
            }
        }
        Self(found)
    }

    /// The id here of the process that wrote its identity into the region.
    fn find(&self, holder: &Holder) -> Option<u32> {
        let all = self.0.get(&(holder.pid, holder.started))?;
        if let Some(seen) = all.iter().find(|seen| seen.namespace == Some(holder.pid_namespace)) {
            return Some(seen.pid);
        }
        // Another user's namespace cannot be looked at, but the rest is told to everybody: enough where nobody else is like that.
        let mut hidden = all.iter().filter(|seen| seen.namespace.is_none());
        hidden.next().filter(|_| hidden.next().is_none()).map(|seen| seen.pid)
    }
}

/// Inode number of a process's PID namespace.
fn namespace_of(process: &str) -> Option<u64> {
    fs::metadata(format!("/proc/{process}/ns/pid")).ok().map(|namespace| namespace.ino())
}
