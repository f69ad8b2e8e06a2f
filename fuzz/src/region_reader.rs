//! A tool reads a region into which a tenant has written anything.
//!
//! Promised: it neither panics nor hangs, shows one slice, and what it shows fits together. A region cut short, or with a
//! wrong header, is an error.

use std::cell::LazyCell;

use contract::Uuid;
use monitor::slices;
use shared_region::layout::SIZE;
use shared_region::snapshot::{Account, Activity, Snapshot};

use crate::region::Bed;
use crate::take::Take;

/// Words that an input writes at most.
const WRITES: usize = 64;

thread_local! {
    static BED: LazyCell<Bed> = LazyCell::new(Bed::new);
}

/// Writes as `input` says, and reads.
pub fn run(input: &[u8]) {
    BED.with(|bed| {
        let writes = |each: &dyn Fn(&mut Take<'_>)| {
            let mut input = Take(input);
            for _ in 0..WRITES {
                if input.is_at_end() {
                    break;
                }
                each(&mut input);
            }
        };
        writes(&|input| bed.write(input, None));
        read(bed);
        if let Some(cut) = input.get(..3).filter(|start| start[0] == 255) {
            bed.cut((usize::from(cut[1]) << 15 | usize::from(cut[2]) << 7) % SIZE);
            // All of it, or so much that it may be a new one.
            assert_eq!(Snapshot::read(&bed.path()).unwrap_or_default(), Snapshot::default());
            bed.reset();
        }
        writes(&|input| bed.undo(input));
    });
}

fn read(bed: &Bed) {
    let snapshot = Snapshot::read(&bed.path());
    let slices = slices::at_default_paths(bed.dir());
    assert!(slices.len() <= 1, "{slices:?}");
    let Ok(snapshot) = snapshot else {
        assert!(slices.iter().all(|slice| slice.fault.is_some()), "{slices:?}");
        return;
    };
    for process in &snapshot.processes {
        assert_eq!(process.usage.len(), snapshot.devices.len());
        for usage in &process.usage {
            assert!(process.alive || usage.compute.waiting == 0);
        }
    }
    // A part of it, read in another way.
    let activity = Activity::read(&bed.path()).expect("what can be read can be read again");
    assert_eq!(activity.devices, snapshot.devices.iter().map(|device| device.uuid).collect::<Vec<_>>());
    assert_eq!(activity.corrections.len(), activity.devices.len());
    assert!(activity.processes.len() <= snapshot.processes.len());
    for process in &activity.processes {
        assert_eq!(process.uses.len(), activity.devices.len());
    }
    account(bed, &snapshot, &activity.devices);
    let adds_up = snapshot.devices.iter().all(|device| device.adds_up());
    for slice in &slices {
        assert_eq!(slice.fault.is_none(), adds_up, "{slice:?}");
        // A GPU that stands there twice is one.
        assert!(slice.gpus.len() <= snapshot.devices.len(), "{slice:?}");
        assert_eq!(slice.processes.len(), snapshot.processes.len());
        for process in &slice.processes {
            assert_eq!(process.usage.len(), slice.gpus.len());
        }
    }
}

/// Another part of it. A GPU that stands there twice is the first of them.
fn account(bed: &Bed, snapshot: &Snapshot, gpus: &[Uuid]) {
    let account = Account::read(&bed.path(), gpus).expect("what can be read can be read again");
    assert_eq!(account.gpus.len(), gpus.len());
    assert!(account.processes <= snapshot.processes.len());
    for (uuid, gpu) in gpus.iter().zip(&account.gpus) {
        let gpu = gpu.as_ref().expect("a GPU that is there");
        let device = snapshot.devices.iter().find(|device| device.uuid == *uuid).expect("it is there");
        assert_eq!((gpu.adds_up, gpu.peak), (device.adds_up(), device.peak));
        assert!(gpu.used <= device.total);
    }
}
