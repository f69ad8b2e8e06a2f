//! The simulated cards of a node.

use super::{process, spec, stage};
use crate::cluster::Node;
use crate::wait::wait_until;
use rustix::process::{Pid, Signal, kill_process};
use std::fs;
use std::os::unix::fs::DirBuilderExt;
use std::path::PathBuf;
use std::process::Command;

/// The one card of the first node, or the first of several.
pub const GPU: &str = "GPU-1c5009f6-3637-cd7d-4955-5eaa038e563e";
/// Another card, where there are two.
pub const OTHER: &str = "GPU-2d611a07-4748-de8e-5a66-6fbb149f674f";
/// The nodes, and the cards of each.
pub const NODES: [(&str, [&str; 2]); 2] = [
    ("node-1", [GPU, OTHER]),
    ("node-2", ["GPU-3e722b18-5859-ef9f-6b77-7acc25a07a50", "GPU-4f833c29-696a-f0a0-7c88-8bdd36b18b61"]),
];
/// All memory of a card in MiB.
pub const ALL: u32 = 81_559;
/// The test program that takes memory, where a container finds it.
pub const FILL: &str = "/opt/sim/bin/fill";
/// Where a container finds nvidia-smi, where the machine has one.
pub const SMI: &str = "/opt/smi/nvidia-smi";
/// The directory through which programs reach the cards.
pub const PLACE: &str = "/run/vgpu-sim";
/// The variable `VGPU_SIM_SOCKET` of those programs.
pub const SOCKET: &str = "/run/vgpu-sim/550.sock";

/// The driver's library for whoever asks about cards.
pub fn nvml() -> PathBuf {
    stage().join("sim/550/libnvidia-ml.so.1")
}

/// Whether there is an unmodified nvidia-smi: `cargo xtask clients` fetches one.
pub fn has_smi() -> bool {
    spec::smi().join("nvidia-smi").exists()
}

/// A node as the machine that it is: what plays its cards is a process of its own.
#[derive(Clone, Debug)]
pub struct Machine {
    node: Node,
}

impl Machine {
    /// That of a node, such as `node-1`.
    pub fn of(node: &str) -> Self {
        Self { node: Node::named(node) }
    }

    /// Puts these cards, and no others, into the node, unless it is so already.
    ///
    /// # Panics
    /// They do not start.
    pub fn install(&self, cards: &[&str]) {
        let place = self.path(PLACE);
        let made = fs::DirBuilder::new().mode(0o700).recursive(true).create(&place);
        made.unwrap_or_else(|error| panic!("{}: {error}", place.display()));
        let config = format!("{PLACE}/machine.toml");
        let wanted: String = cards.iter().map(|card| format!("[[devices]]\nuuid = \"{card}\"\n")).collect();
        if fs::read_to_string(self.path(&config)).is_ok_and(|there| there != wanted) {
            self.take_away();
        }
        self.write(&config, &wanted);
        self.kernel(&["start", "--socket", SOCKET, "--config", &config, "--idle-ms", "3600000"]);
        self.write("/etc/cdi/simulated.json", &spec::spec(cards).to_string());
    }

    /// Does this to the cards while they are in use, in the words of `vgpu-sim-kernel disturb`.
    ///
    /// # Panics
    /// It cannot be done.
    pub fn disturb(&self, fault: &str) {
        self.kernel(&["disturb", "--socket", SOCKET, "--fault", fault]);
    }

    /// The process that plays the driver. While it is stopped, the driver hangs.
    ///
    /// # Panics
    /// It does not run.
    pub fn process(&self) -> Pid {
        self.running().expect("the simulated card does not run")
    }

    /// Takes all cards away.
    fn take_away(&self) {
        let Some(pid) = self.running() else { return };
        // It may just have ended.
        let _ = kill_process(pid, Signal::KILL);
        wait_until("the simulated card is gone", || self.running().is_none().then_some(()), String::new);
    }

    fn running(&self) -> Option<Pid> {
        let is_served = |pid: &i32| {
            let line = process::command_line(*pid);
            line.iter().any(|word| word == "serve") && line.iter().any(|word| word == SOCKET)
        };
        let here = self.node.mounts();
        let is_here = |pid: &i32| fs::read_link(format!("/proc/{pid}/ns/mnt")).is_ok_and(|link| link == here);
        process::all().find(|pid| is_served(pid) && is_here(pid)).and_then(Pid::from_raw)
    }

    /// Runs the program that plays the driver, among the node's files.
    fn kernel(&self, words: &[&str]) {
        let mut program = Command::new("nsenter");
        program.arg(format!("--mount=/proc/{}/ns/mnt", self.node.pid().as_raw_pid()));
        let output = program.arg(stage().join("bin/vgpu-sim-kernel")).args(words).output();
        let output = output.unwrap_or_else(|error| panic!("nsenter: {error}"));
        assert!(output.status.success(), "{words:?}: {output:?}");
    }

    fn path(&self, path: &str) -> PathBuf {
        self.node.root().join(path.trim_start_matches('/'))
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        let written =
            fs::create_dir_all(path.parent().unwrap_or(&path)).and_then(|()| fs::write(&path, text));
        written.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    }
}
