//! The simulated cards of the node, and how their driver describes them.

use std::fs;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use kube_harness::wait_until;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

/// The one card, or the first of several.
pub(crate) const GPU: &str = "GPU-1c5009f6-3637-cd7d-4955-5eaa038e563e";
/// Another card, where there are two.
pub(crate) const OTHER: &str = "GPU-2d611a07-4748-de8e-5a66-6fbb149f674f";
/// All memory of a card in MiB.
pub(crate) const ALL: u32 = 81_559;
/// Where a container finds the driver and the test programs.
const DRIVER: &str = "/opt/sim";
/// The test program that takes memory.
pub(crate) const FILL: &str = "/opt/sim/bin/fill";
/// Where a container finds nvidia-smi, where the machine has one.
pub(crate) const SMI: &str = "/opt/smi/nvidia-smi";

/// The dynamic linker that programs name.
const LOADER: &str = "/lib64/ld-linux-x86-64.so.2";

/// The directory through which programs reach the card.
pub(crate) const PLACE: &str = "/run/vgpu-sim";
/// The variable `VGPU_SIM_SOCKET` of those programs.
pub(crate) const SOCKET: &str = "/run/vgpu-sim/550.sock";

/// Where everything is laid out as it is shipped.
pub(crate) fn stage() -> PathBuf {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace");
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| workspace.join("target"), PathBuf::from);
    let stage = target.join("stage");
    assert!(stage.join("lib/libvgpu.so").exists(), "{} is not there: cargo xtask stage", stage.display());
    stage
}

/// The driver's library for whoever asks about cards.
pub(crate) fn nvml() -> PathBuf {
    stage().join("sim/550/libnvidia-ml.so.1")
}

fn kernel() -> PathBuf {
    stage().join("bin/vgpu-sim-kernel")
}

/// An unmodified nvidia-smi, if `cargo xtask clients` has fetched one.
pub(crate) fn has_smi() -> bool {
    smi().join("nvidia-smi").exists()
}

fn smi() -> PathBuf {
    let home = || Some(PathBuf::from(std::env::var_os("HOME")?).join(".cache"));
    let cache = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from).or_else(home).unwrap_or_default();
    cache.join("vgpu/clients/nvidia-smi-550/usr/lib/nvidia/current")
}

/// Puts these cards, and no others, into the node, unless it is so already.
pub(crate) fn install(cards: &[&str]) {
    fs::DirBuilder::new().mode(0o700).recursive(true).create(PLACE).unwrap();
    let config = format!("{PLACE}/machine.toml");
    let wanted: String = cards.iter().map(|card| format!("[[devices]]\nuuid = \"{card}\"\n")).collect();
    if fs::read_to_string(&config).is_ok_and(|there| there != wanted) {
        take_away();
    }
    fs::write(&config, wanted).unwrap();
    let mut start = Command::new(kernel());
    start.args(["start", "--socket", SOCKET, "--config", &config, "--idle-ms", "3600000"]);
    assert!(start.status().unwrap().success(), "the simulated card does not start");
    fs::create_dir_all("/etc/cdi").unwrap();
    fs::write("/etc/cdi/simulated.json", spec(cards).to_string()).unwrap();
}

/// Does this to the cards while they are in use, in the words of `vgpu-sim-kernel disturb`.
pub(crate) fn disturb(fault: &str) {
    let mut program = Command::new(kernel());
    let output = program.args(["disturb", "--socket", SOCKET, "--fault", fault]).output().unwrap();
    assert!(output.status.success(), "{fault}: {output:?}");
}

/// Takes all cards away.
fn take_away() {
    let Some(pid) = running() else { return };
    kill_process(pid, Signal::KILL).unwrap();
    wait_until("the simulated card is gone", || running().is_none().then_some(()), String::new);
}

/// The process that plays the driver. While it is stopped, the driver hangs.
pub(crate) fn process() -> Pid {
    running().expect("the simulated card does not run")
}

fn running() -> Option<Pid> {
    let wanted = format!("\0serve\0--socket\0{SOCKET}\0");
    let serves = |pid: &i32| {
        fs::read_to_string(format!("/proc/{pid}/cmdline")).is_ok_and(|line| line.contains(&wanted))
    };
    let processes = fs::read_dir("/proc").unwrap();
    let mut pids = processes.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    pids.find(serves).and_then(Pid::from_raw)
}

/// What a driver's installation would write. The images are empty, so the C library comes from the node as well.
fn spec(cards: &[&str]) -> Value {
    let read_only = |host: &Path, container: &str| json!({"hostPath": host, "containerPath": container, "options": ["ro", "bind"]});
    let mut mounts = vec![
        read_only(&stage().join("sim/550"), &format!("{DRIVER}/sim/550")),
        read_only(&stage().join("bin"), &format!("{DRIVER}/bin")),
        read_only(Path::new("/usr/lib/x86_64-linux-gnu"), "/usr/lib/x86_64-linux-gnu"),
        read_only(&fs::canonicalize(LOADER).unwrap(), LOADER),
        json!({"hostPath": PLACE, "containerPath": PLACE, "options": ["rw", "bind"]}),
    ];
    if has_smi() {
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
