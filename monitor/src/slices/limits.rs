//! The limits of a slice that has no directory: its processes have them in their environment.

use std::collections::HashMap;
use std::ffi::OsString;
use std::fs::File;
use std::io::Read;
use std::os::unix::ffi::OsStringExt;

use contract::env::EnvLimits;

use super::{Limit, Slice};

/// The most that is read of an environment.
const LONGEST: u64 = 1 << 20;

/// Takes limits that are not known from the environment of the slice's first process that lets this user look.
pub(super) fn of_environment(slice: &mut Slice) {
    if slice.supervisor.is_some() {
        return;
    }
    let alive = slice.processes.iter().filter(|process| process.alive);
    let Some(limits) = alive.filter_map(|process| read(process.pid?)).next() else { return };
    for gpu in slice.gpus.iter_mut().filter(|gpu| gpu.limit == Limit::Unknown) {
        let index = match gpu.index {
            Some(index) => usize::try_from(index).ok(),
            None => Some(0).filter(|_| !limits.needs_order()),
        };
        if let Some(index) = index {
            gpu.limit = limits.memory(index).map_or(Limit::Unlimited, Limit::Bytes);
            gpu.cores = limits.cores(index);
        }
    }
}

fn read(pid: u32) -> Option<EnvLimits> {
    let mut bytes = Vec::new();
    File::open(format!("/proc/{pid}/environ")).ok()?.take(LONGEST).read_to_end(&mut bytes).ok()?;
    // The first of two variables of one name is the one that a program finds.
    let mut variables = HashMap::new();
    for entry in bytes.split(|byte| *byte == 0) {
        if let Some(equals) = entry.iter().position(|byte| *byte == b'=') {
            let value = OsString::from_vec(entry[equals + 1..].to_vec());
            variables.entry(entry[..equals].to_vec()).or_insert(value);
        }
    }
    EnvLimits::read(|name| variables.get(name.as_bytes()).cloned()).ok()
}
