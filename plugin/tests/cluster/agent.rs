//! The agent as the chart installs it, with an image that is made here.

use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, Ordering};

use kube_harness::product::agent as product;
pub(crate) use kube_harness::product::agent::{START, new_start, pods};
use kube_harness::product::machine::{GPU, Machine};
use kube_harness::wait_until;
use serde_json::{Value, json};

use crate::chart;
use crate::image;

pub(crate) const NODE: &str = "node-1";

/// Whether the agent that is there is one that [`Agent::start`] has made.
static IS_USUAL: AtomicBool = AtomicBool::new(false);

/// The agent. It stays on the node when this is dropped, until the next one takes its place.
pub(crate) struct Agent(());

impl Agent {
    /// An agent that is ready, on a node with the simulated card, and kubelet has what it offers. One that a test before has left is
    /// as good as a new one.
    pub(crate) fn start() -> Self {
        if IS_USUAL.load(Ordering::Relaxed) {
            wait_until(
                "the agent is ready",
                || address().and_then(|_| offered()).filter(|count| *count > 0),
                describe,
            );
            return Self(());
        }
        let agent = Self::start_with(&json!({}));
        IS_USUAL.store(true, Ordering::Relaxed);
        agent
    }

    /// A new agent, with these values of the chart as well.
    pub(crate) fn start_with(values: &Value) -> Self {
        Self::start_on(&[GPU], values)
    }

    /// As [`start_with`](Self::start_with), on a node with these cards.
    pub(crate) fn start_on(cards: &[&str], values: &Value) -> Self {
        forget();
        Machine::of(NODE).install(cards);
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
        product::kill(NODE);
        self
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        if std::thread::panicking() {
            forget();
            eprintln!("{}", log());
        }
    }
}

/// Lets the next test have an agent of its own.
pub(crate) fn forget() {
    IS_USUAL.store(false, Ordering::Relaxed);
}

/// How many devices the node has for pods, whether an agent runs or not.
pub(crate) fn offered() -> Option<u32> {
    product::offered(NODE)
}

/// Waits until agents, since the last start, have registered so many times.
pub(crate) fn wait_until_registered(times: usize) {
    let count = || log().matches("registered with kubelet").count();
    wait_until("the agent is registered", || (count() >= times).then_some(()), log);
}

/// Whether the agent of this start says that it is ready.
pub(crate) fn is_ready(start: &str) -> bool {
    product::ready(start) > 0
}

/// Where the agent that is ready can be reached.
pub(crate) fn address() -> Option<IpAddr> {
    let pod = pods().into_iter().find(product::says_ready)?;
    pod["status"]["podIP"].as_str()?.parse().ok()
}

/// What people look at when it does not start.
pub(crate) fn describe() -> String {
    product::describe(&[NODE])
}

/// What all agents have said whose pods are there.
pub(crate) fn log() -> String {
    product::log(&[NODE])
}
