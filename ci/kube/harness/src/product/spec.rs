//! How the simulated cards' driver describes them.

use super::machine::{PLACE, SOCKET};
use super::stage;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

/// Where a container finds the driver and the test programs.
const DRIVER: &str = "/opt/sim";
/// The dynamic linker that programs name.
const LOADER: &str = "/lib64/ld-linux-x86-64.so.2";

/// Where an unmodified nvidia-smi is, if one was fetched.
pub(super) fn smi() -> PathBuf {
    let home = || Some(PathBuf::from(std::env::var_os("HOME")?).join(".cache"));
    let cache = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from).or_else(home).unwrap_or_default();
    cache.join("vgpu/clients/nvidia-smi-550/usr/lib/nvidia/current")
}

/// What a driver's installation would write. The images are empty, so the C library comes from the node as well.
pub(super) fn spec(cards: &[&str]) -> Value {
    let read_only = |host: &Path, container: &str| json!({"hostPath": host, "containerPath": container, "options": ["ro", "bind"]});
    let loader = fs::canonicalize(LOADER).expect("this machine has a dynamic linker");
    let mut mounts = vec![
        read_only(&stage().join("sim/550"), &format!("{DRIVER}/sim/550")),
        read_only(&stage().join("bin"), &format!("{DRIVER}/bin")),
        read_only(Path::new("/usr/lib/x86_64-linux-gnu"), "/usr/lib/x86_64-linux-gnu"),
        read_only(&loader, LOADER),
        json!({"hostPath": PLACE, "containerPath": PLACE, "options": ["rw", "bind"]}),
    ];
    if smi().join("nvidia-smi").exists() {
        mounts.push(read_only(&smi(), "/opt/smi"));
    }
    // The simulator has no device nodes that a container has or has not, so this stands in for them.
    let device = |card: &&str| json!({"name": card, "containerEdits": {"env": ["SIMULATED=yes", format!("CUDA_VISIBLE_DEVICES={card}")]}});
    json!({
        "cdiVersion": "0.6.0",
        "kind": "nvidia.com/gpu",
        "devices": cards.iter().map(device).collect::<Vec<_>>(),
        "containerEdits": {
            "mounts": mounts,
            "env": [format!("LD_LIBRARY_PATH={DRIVER}/sim/550"), format!("VGPU_SIM_SOCKET={SOCKET}")]
        }
    })
}
