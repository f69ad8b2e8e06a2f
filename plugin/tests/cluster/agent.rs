//! The agent as the chart installs it, with an image that is made here.

use std::fs;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use kube_harness::{kubectl, wait_until};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::chart::{self, RELEASE, SYSTEM};
use crate::image;
use crate::machine::{self, GPU};

pub(crate) const NODE: &str = "node-1";
/// Where kubelet puts what containers write.
const LOGS: &str = "/var/log/pods";
/// The agent's program, in its image.
const PROGRAM: &str = "/usr/bin/vgpu-node-agent";
/// Says of a pod for which start it was made.
pub(crate) const START: &str = "vgpu.test/start";

/// The agent. It stays on the node when this is dropped, until the next one takes its place.
pub(crate) struct Agent(());

impl Agent {
    /// Puts the simulated card and a new agent into the node, and waits until it is ready and kubelet has what it offers.
    pub(crate) fn start() -> Self {
        Self::start_with(&json!({}))
    }

    /// As [`start`](Self::start), with these values of the chart as well.
    pub(crate) fn start_with(values: &Value) -> Self {
        Self::start_on(&[GPU], values)
    }

    /// As [`start_with`](Self::start_with), on a node with these cards.
    pub(crate) fn start_on(cards: &[&str], values: &Value) -> Self {
        machine::install(cards);
        image::install();
        let start = new_start();
        let mut all = chart::values();
        chart::merge(&mut all, values);
        chart::merge(&mut all, &json!({"podAnnotations": {START: start}}));
        chart::install(&all);
        let agent = Self(());
        wait_until("the agent is ready", || is_ready(&start).then_some(()), describe);
        wait_until("kubelet knows the devices", || agent.offered().filter(|count| *count > 0), log);
        agent
    }

    /// How many devices the node has for pods.
    pub(crate) fn offered(&self) -> Option<u32> {
        offered()
    }

    /// Ends it, and takes it off the node.
    pub(crate) fn stop(self) {
        chart::remove();
        wait_until("the agent has ended", || pods().is_empty().then_some(()), describe);
    }

    /// Kills it. Kubelet starts it anew, for which this does not wait.
    pub(crate) fn restart(self) -> Self {
        for pid in processes() {
            // It may just have ended.
            let _ = kill_process(pid, Signal::KILL);
        }
        self
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
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

/// Waits until agents, since the last start, have registered so many times.
pub(crate) fn wait_until_registered(times: usize) {
    let count = || log().matches("registered with kubelet").count();
    wait_until("the agent is registered", || (count() >= times).then_some(()), log);
}

/// A text that no start before has had: another annotation is another pod, so what an agent has seen before is forgotten.
pub(crate) fn new_start() -> String {
    static STARTED: AtomicU32 = AtomicU32::new(0);
    format!("{}-{}", std::process::id(), STARTED.fetch_add(1, Ordering::Relaxed))
}

/// Whether the agent of this start says that it is ready.
pub(crate) fn is_ready(start: &str) -> bool {
    pods().iter().any(|pod| pod["metadata"]["annotations"][START] == start && says_ready(pod))
}

fn says_ready(pod: &Value) -> bool {
    let conditions = pod["status"]["conditions"].as_array().into_iter().flatten();
    conditions.into_iter().any(|condition| condition["type"] == "Ready" && condition["status"] == "True")
}

/// Where the agent that is ready can be reached.
pub(crate) fn address() -> Option<IpAddr> {
    let pod = pods().into_iter().find(says_ready)?;
    pod["status"]["podIP"].as_str()?.parse().ok()
}

/// The agents' pods, those that are on their way out included.
pub(crate) fn pods() -> Vec<Value> {
    let label = "app.kubernetes.io/component=node-agent";
    let pods = kubectl(&["--namespace", SYSTEM, "get", "pods", "--selector", label, "-o", "json"], "");
    let list: Value = serde_json::from_str(&pods.unwrap_or_default()).unwrap_or_default();
    list["items"].as_array().cloned().unwrap_or_default()
}

/// What people look at when it does not start.
pub(crate) fn describe() -> String {
    let all = kubectl(&["--namespace", SYSTEM, "describe", "daemonsets,pods"], "");
    format!("{}\n{}", all.unwrap_or_else(|error| error), log())
}

/// What all agents have said whose pods are there.
pub(crate) fn log() -> String {
    let prefix = format!("{LOGS}/{SYSTEM}_{RELEASE}-node-agent-");
    let directories = entries(Path::new(LOGS)).filter(|path| path.to_string_lossy().starts_with(&prefix));
    let files = directories.flat_map(|directory| entries(&directory.join("agent")));
    let texts: Vec<String> = files.filter_map(|file| fs::read_to_string(file).ok()).collect();
    // A time, a stream and a letter come before what was written.
    let lines = texts.iter().flat_map(|text| text.lines()).filter_map(|line| line.splitn(4, ' ').nth(3));
    lines.collect::<Vec<_>>().join("\n")
}

/// The agents' processes.
fn processes() -> Vec<Pid> {
    let command = |pid: i32| fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let numbers = entries(Path::new("/proc")).filter_map(|path| path.file_name()?.to_str()?.parse().ok());
    numbers.filter(|pid| command(*pid).starts_with(PROGRAM.as_bytes())).filter_map(Pid::from_raw).collect()
}

fn entries(directory: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    let mut paths: Vec<PathBuf> =
        fs::read_dir(directory).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    paths.sort();
    paths.into_iter()
}
