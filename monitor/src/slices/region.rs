//! From a region's snapshot to a slice.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use contract::env::Priority;
use contract::limits_page::{Entry, SharePolicy};
use contract::{Bytes, Uuid, paths};
use shared_region::OpenFault;
use shared_region::snapshot::{DeviceSnapshot, ProcessSnapshot, Snapshot};

use super::{Compute, Correction, Limit, RefusalSummary, Slice, SliceGpu, SliceProcess, Usage};
use crate::runs::ListedRun;

/// The slice of a command that `vgpu run` started.
pub(super) fn of_run(run: ListedRun) -> Slice {
    let mut slice = Slice {
        name: run.name.to_string(),
        supervisor: Some(run.name.pid),
        is_supervised: run.is_supervised,
        region: run.region,
        gpus: Vec::new(),
        processes: Vec::new(),
        fault: run.page.as_ref().err().cloned(),
    };
    let page = run.page.ok();
    for entry in page.iter().flat_map(|page| page.entries()) {
        let limit = entry.memory.map_or(Limit::Unlimited, Limit::Bytes);
        let Entry { uuid, cores, policy, priority, .. } = *entry;
        slice.gpus.push(SliceGpu { limit, cores, policy, priority, ..gpu(uuid) });
    }
    // A GPU that the page does not name has no memory to give.
    fill(&mut slice, if page.is_some() { Limit::Bytes(Bytes::ZERO) } else { Limit::Unknown });
    for gpu in &mut slice.gpus {
        if let Some(known) = run.gpus.iter().find(|known| known.uuid == gpu.uuid) {
            gpu.learn(known);
        }
    }
    slice
}

/// The slices whose regions are at the default path, also of such as have ended: of this user, or of everybody for root.
pub(super) fn at_default_paths(shared_memory: &Path) -> Vec<Slice> {
    let me = rustix::process::geteuid().as_raw();
    let entries = fs::read_dir(shared_memory).into_iter().flatten().flatten();
    let mut regions: Vec<PathBuf> = entries
        .filter(|entry| {
            let is_default = entry.file_name().to_str().and_then(paths::default_region_user).is_some();
            is_default && entry.metadata().is_ok_and(|file| me == 0 || file.uid() == me)
        })
        .map(|entry| entry.path())
        .collect();
    regions.sort();
    regions.into_iter().map(at_default_path).collect()
}

fn at_default_path(region: PathBuf) -> Slice {
    let name = region.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut slice = Slice {
        name,
        supervisor: None,
        is_supervised: false,
        region,
        gpus: Vec::new(),
        processes: Vec::new(),
        fault: None,
    };
    fill(&mut slice, Limit::Unknown);
    slice
}

/// Adds what the region says. A GPU that the slice does not know yet has the limit `otherwise`.
fn fill(slice: &mut Slice, otherwise: Limit) {
    let snapshot = match Snapshot::read(&slice.region) {
        Ok(snapshot) => snapshot,
        Err(error) if matches!(error.fault, OpenFault::Missing) => return,
        Err(error) => {
            slice.fault.get_or_insert_with(|| error.to_string());
            return;
        }
    };
    for device in &snapshot.devices {
        let known = slice.gpus.iter().position(|gpu| gpu.uuid == device.uuid);
        let place = known.unwrap_or_else(|| {
            slice.gpus.push(SliceGpu { limit: otherwise, ..gpu(device.uuid) });
            slice.gpus.len() - 1
        });
        slice.gpus[place].used = device.total;
        slice.gpus[place].peak = device.peak;
        slice.gpus[place].refusals = device.refusals.clone();
        slice.gpus[place].correction = device.correction;
    }
    if let Some(device) = snapshot.devices.iter().find(|device| !device.adds_up()) {
        slice.fault.get_or_insert_with(|| tampered(&slice.region, device));
    }
    let processes = snapshot.processes.iter();
    slice.processes = processes.map(|process| member(process, &snapshot, &slice.gpus)).collect();
    slice.add_up();
}

/// What to say of a region whose numbers contradict each other.
fn tampered(region: &Path, device: &DeviceSnapshot) -> String {
    let held = device.held.unwrap_or(device.total);
    format!(
        "region {}: its processes hold {} of {}, and {} in total, so one of them has written into the file past its account; \
         what is shown of the slice, and its limit, mean nothing until it is started anew",
        region.display(),
        held.human(),
        device.uuid,
        device.total.human()
    )
}

fn member(process: &ProcessSnapshot, snapshot: &Snapshot, gpus: &[SliceGpu]) -> SliceProcess {
    let usage = |gpu: &SliceGpu| {
        let place = snapshot.devices.iter().position(|device| device.uuid == gpu.uuid);
        let usage = place.and_then(|place| process.usage.get(place));
        usage.map_or_else(Usage::default, |usage| Usage {
            used: usage.used,
            peak: usage.peak,
            overhead: usage.overhead,
            refused: usage.refused,
            compute: usage.compute.into(),
        })
    };
    let uuid_of =
        |index| snapshot.devices.iter().find(|device| device.index == index).map(|device| device.uuid);
    SliceProcess {
        pid: None,
        own_pid: process.pid,
        pid_namespace: process.pid_namespace,
        started: process.started,
        command: None,
        alive: process.alive,
        refused_bytes: process.refused_bytes,
        last_refusal: process.last_refusal,
        last_refused_gpu: process.last_refused_device.and_then(uuid_of),
        largest_refusal: process.largest_refusal,
        usage: gpus.iter().map(usage).collect(),
    }
}

fn gpu(uuid: Uuid) -> SliceGpu {
    SliceGpu {
        uuid,
        index: None,
        name: None,
        memory: None,
        limit: Limit::Unknown,
        cores: None,
        policy: SharePolicy::default(),
        priority: Priority::default(),
        used: Bytes::ZERO,
        peak: Bytes::ZERO,
        refusals: RefusalSummary::default(),
        compute: Compute::default(),
        correction: Correction::default(),
    }
}
