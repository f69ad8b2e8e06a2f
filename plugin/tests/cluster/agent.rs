//! The agent as a process of the node.

use std::fs::{self, File};
use std::process::{Child, Command, Stdio};

use kube_harness::{kubectl, wait_until};

use crate::machine::{self, GPU};

pub(crate) const NODE: &str = "node-1";
const LOG: &str = "/run/vgpu-node-agent.log";

/// Runs until it is dropped.
pub(crate) struct Agent {
    process: Child,
    flags: Vec<String>,
}

impl Agent {
    /// Puts the simulated card and the agent into the node, and waits until kubelet has what it offers.
    pub(crate) fn start() -> Self {
        Self::start_with(&[])
    }

    /// As [`start`](Self::start), with these flags as well.
    pub(crate) fn start_with(flags: &[&str]) -> Self {
        Self::start_on(&[GPU], flags)
    }

    /// As [`start_with`](Self::start_with), on a node with these cards.
    pub(crate) fn start_on(cards: &[&str], flags: &[&str]) -> Self {
        machine::install(cards);
        let _ = fs::remove_file(LOG);
        let agent = Self::spawn(flags.iter().map(|flag| (*flag).to_owned()).collect());
        // What the node offers may still be what an agent before this one has said.
        wait_until_registered(1);
        wait_until("kubelet knows the devices", || agent.offered().filter(|count| *count > 0), log);
        agent
    }

    fn spawn(flags: Vec<String>) -> Self {
        let log = File::options().create(true).append(true).open(LOG).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_vgpu-node-agent"));
        command.arg("--node-name").arg(NODE);
        command.arg("--library").arg(machine::stage().join("lib/libvgpu.so"));
        command.arg("--nvml-library").arg(machine::nvml());
        command.arg("--driver-cdi-dirs=/etc/cdi").args(&flags).envs(machine::variables());
        command.stdin(Stdio::null()).stdout(log.try_clone().unwrap()).stderr(log);
        Self { process: command.spawn().unwrap(), flags }
    }

    /// How many devices the node has for pods.
    pub(crate) fn offered(&self) -> Option<u32> {
        offered()
    }

    /// Kills it and starts it anew, with the same flags, without waiting for anything.
    pub(crate) fn restart(mut self) -> Self {
        let flags = std::mem::take(&mut self.flags);
        drop(self);
        Self::spawn(flags)
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
        if std::thread::panicking() {
            eprintln!("{}", log());
        }
    }
}

/// How many devices the node has for pods, whether an agent runs or not.
pub(crate) fn offered() -> Option<u32> {
    let path = "jsonpath={.status.allocatable.nvidia\\.com/vgpu-number}";
    kubectl(&["get", "node", NODE, "-o", path], "").ok()?.parse().ok()
}

/// Waits until agents, since the log was begun, have registered so many times.
pub(crate) fn wait_until_registered(times: usize) {
    let count = || log().matches("registered with kubelet").count();
    wait_until("the agent is registered", || (count() >= times).then_some(()), log);
}

/// What it has said.
pub(crate) fn log() -> String {
    fs::read_to_string(LOG).unwrap_or_default()
}
