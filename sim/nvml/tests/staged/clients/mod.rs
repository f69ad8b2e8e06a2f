//! Real, unmodified clients on the staged library. A client that is not on this machine is skipped, and says so.

mod nvidia_smi;
mod python;

use std::io::Write;
use std::process::Command;

use sim_kernel::{Client, DeviceIndex, Kind, Utilization};

use crate::scene::{Scene, library};

/// A machine with something to show: this process with a context on device 0, and a load that stands still.
struct Tenants {
    _cuda: Client,
    _observer: Client,
}

fn move_in(scene: &Scene) -> Tenants {
    let cuda = scene.connect(Kind::Cuda);
    cuda.create_context(DeviceIndex(0)).unwrap();
    let observer = scene.connect(Kind::Observer);
    observer.freeze(Some(Utilization { gpu: 37, memory: 5 })).unwrap();
    Tenants { _cuda: cuda, _observer: observer }
}

/// What the client prints, run on the library of the scene.
///
/// # Panics
/// When it fails.
fn output(scene: &Scene, client: &mut Command) -> String {
    let folder = library(scene.branch);
    let output = client.env("LD_LIBRARY_PATH", folder.parent().unwrap()).output().unwrap();
    let (said, complained) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{client:?}: {}\n{said}{complained}", output.status);
    said.into_owned()
}

/// Says that a test did not happen, past the harness, which shows what a passing test prints to nobody.
fn skip(test: &str, reason: &str) {
    let _ = writeln!(std::io::stderr(), "skipped {test}: {reason}");
}
