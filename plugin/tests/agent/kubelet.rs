//! Registration, devices, allocation and the call before a container is created.

use std::collections::BTreeSet;
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::sync::{Arc, Mutex};

use contract::Uuid;
use plugin::identity::token::Token;
use plugin::kubelet::devices::{Advertised, UNHEALTHY, devices};
use plugin::kubelet::prepare::{Prepare, Unprepared};
use plugin::kubelet::register::{KUBELET_SOCKET, Plugin};
use plugin::proto::deviceplugin::Device;
use tempfile::TempDir;
use tokio::sync::watch;
use tokio::task::AbortHandle;
use tonic::Code;

use crate::fake::{Kubelet, Registered, Registry, soon};

const RESOURCE: &str = "nvidia.com/vgpu-number";
const SOCKET: &str = "nvidia.com_vgpu-number.sock";

/// Remembers what was to be prepared, and refuses as told.
#[derive(Default)]
struct Recorder {
    asked: Mutex<Vec<Vec<String>>>,
    refusal: Mutex<Option<String>>,
}

impl Prepare for Recorder {
    async fn prepare(&self, ids: &[String]) -> Result<(), Unprepared> {
        self.asked.lock().unwrap().push(ids.to_vec());
        self.refusal.lock().unwrap().clone().map_or(Ok(()), |reason| Err(Unprepared(reason)))
    }
}

/// A plugin with two GPUs in four parts, running in a directory of its own.
struct Agent {
    directory: TempDir,
    devices: watch::Sender<Vec<Device>>,
    recorder: Arc<Recorder>,
    known: watch::Receiver<bool>,
    running: AbortHandle,
}

fn gpus(healthy: bool) -> Vec<Device> {
    let gpu = |byte, healthy| Advertised { gpu: Uuid([byte; 16]), parts: 4, healthy, numa_hint: None };
    devices(&[gpu(1, true), gpu(2, healthy)])
}

impl Agent {
    fn start() -> Self {
        Self::start_in(tempfile::tempdir().unwrap())
    }

    fn start_in(directory: TempDir) -> Self {
        let (devices, list) = watch::channel(gpus(true));
        let recorder = Arc::new(Recorder::default());
        let plugin =
            Plugin::new(RESOURCE.to_owned(), directory.path().to_owned(), list, Arc::clone(&recorder));
        let known = plugin.known();
        let running = tokio::spawn(async move { plugin.run().await }).abort_handle();
        Self { directory, devices, recorder, known, running }
    }

    fn path(&self) -> &Path {
        self.directory.path()
    }

    async fn kubelet(&self) -> Kubelet {
        Kubelet::start(self.path(), RESOURCE).await
    }

    async fn is_known(&mut self, known: bool) {
        soon("change", self.known.wait_for(|now| *now == known)).await.unwrap();
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        self.running.abort();
    }
}

fn ids(plugin: &Registered) -> Vec<String> {
    plugin.devices.borrow().iter().map(|device| device.id.clone()).collect()
}

#[tokio::test]
async fn kubelet_learns_in_both_places_that_it_has_to_call_before_a_container_is_created() {
    let agent = Agent::start();
    let kubelet = agent.kubelet().await;
    for options in &kubelet.plugin.options {
        assert!(options.as_ref().unwrap().pre_start_required);
    }
}

#[tokio::test]
async fn changes_of_devices_reach_kubelet() {
    let agent = Agent::start();
    let mut kubelet = agent.kubelet().await;
    kubelet.plugin.until("devices", |list| list.len() == 8).await;
    agent.devices.send_replace(gpus(false));
    let sick = |list: &Vec<Device>| list.iter().filter(|device| device.health == UNHEALTHY).count() == 4;
    kubelet.plugin.until("sick devices", sick).await;
    agent.devices.send_replace(gpus(true));
    kubelet.plugin.until("recovered devices", |list| !sick(list)).await;
}

#[tokio::test]
async fn each_answer_is_a_new_token_that_says_nothing_else() {
    let agent = Agent::start();
    let mut kubelet = agent.kubelet().await;
    kubelet.plugin.until("devices", |list| !list.is_empty()).await;
    let init = kubelet.admit("pod-a", "init", 2).await.unwrap();
    kubelet.admit_with("pod-a", "main", init).await.unwrap();
    kubelet.admit("pod-b", "main", 1).await.unwrap();
    let mut tokens = BTreeSet::new();
    for (pod, container) in [("pod-a", "init"), ("pod-a", "main"), ("pod-b", "main")] {
        let answer = kubelet.answer(pod, container);
        let [device] = &answer.cdi_devices[..] else { panic!("{answer:?}") };
        let token = device.name.strip_prefix("vgpu.io/slice=").expect("a slice");
        assert!(tokens.insert(token.parse::<Token>().unwrap()), "{token} twice");
        assert_eq!(answer.envs.len(), 1);
        assert_eq!(answer.envs["NVIDIA_VISIBLE_DEVICES"], "void");
        assert!(answer.mounts.is_empty() && answer.devices.is_empty() && answer.annotations.is_empty());
    }
}

#[tokio::test]
async fn a_container_is_prepared_before_it_is_created_and_a_refusal_says_why() {
    let agent = Agent::start();
    let mut kubelet = agent.kubelet().await;
    kubelet.plugin.until("devices", |list| !list.is_empty()).await;
    let held = kubelet.admit("pod", "main", 2).await.unwrap();
    *agent.recorder.refusal.lock().unwrap() = Some("the claim is not there yet".to_owned());
    let refused = kubelet.plugin.pre_start(&held).await.unwrap_err();
    assert_eq!((refused.code(), refused.message()), (Code::FailedPrecondition, "the claim is not there yet"));
    *agent.recorder.refusal.lock().unwrap() = None;
    kubelet.plugin.pre_start(&held).await.unwrap();
    assert_eq!(*agent.recorder.asked.lock().unwrap(), [held.clone(), held]);
}

#[tokio::test]
async fn a_kubelet_that_starts_anew_is_told_again() {
    let mut agent = Agent::start();
    let mut kubelet = agent.kubelet().await;
    kubelet.plugin.until("devices", |list| !list.is_empty()).await;
    kubelet.admit("pod", "main", 1).await.unwrap();
    kubelet.kill();
    agent.is_known(false).await;
    let kubelet = agent.kubelet().await;
    agent.is_known(true).await;
    let held = kubelet.answer("pod", "main");
    assert_eq!(held.cdi_devices.len(), 1);
}

#[tokio::test]
async fn a_kubelet_that_was_replaced_without_a_pause_is_told_again() {
    let agent = Agent::start();
    let _first = agent.kubelet().await;
    let second = agent.kubelet().await;
    assert_eq!(second.plugin.resource, RESOURCE);
}

#[tokio::test]
async fn a_socket_that_was_removed_comes_back() {
    let agent = Agent::start();
    let mut kubelet = agent.kubelet().await;
    std::fs::remove_file(agent.path().join(SOCKET)).unwrap();
    kubelet.registered_again().await;
    kubelet.plugin.until("devices", |list| list.len() == 8).await;
}

#[tokio::test]
async fn a_kubelet_that_stops_listening_is_told_again() {
    let mut agent = Agent::start();
    let mut registry = Registry::start(agent.path());
    let plugin = registry.registered(RESOURCE).await;
    agent.is_known(true).await;
    drop(plugin);
    registry.registered(RESOURCE).await;
}

#[tokio::test]
async fn the_socket_of_an_agent_that_died_is_replaced() {
    let directory = tempfile::tempdir().unwrap();
    for name in [SOCKET, "nvidia.com_vgpu-number.new"] {
        drop(UnixListener::bind(directory.path().join(name)).unwrap());
    }
    // Not started by the harness, which would remove them.
    let kept = directory.path().join("kept");
    std::fs::create_dir(&kept).unwrap();
    for name in [SOCKET, "nvidia.com_vgpu-number.new"] {
        std::fs::rename(directory.path().join(name), kept.join(name)).unwrap();
    }
    let mut registry = Registry::start(directory.path());
    for name in [SOCKET, "nvidia.com_vgpu-number.new"] {
        std::fs::rename(kept.join(name), directory.path().join(name)).unwrap();
    }
    let agent = Agent::start_in(directory);
    let mut plugin = registry.registered(RESOURCE).await;
    plugin.until("devices", |list| list.len() == 8).await;
    assert_eq!(ids(&plugin).len(), 8);
    assert!(agent.path().join(KUBELET_SOCKET).exists());
}

#[tokio::test]
async fn an_agent_that_starts_before_kubelet_waits_for_it() {
    let mut agent = Agent::start();
    assert!(!*agent.known.borrow());
    let _kubelet = agent.kubelet().await;
    agent.is_known(true).await;
}
