//! A node with two GPUs, a driver, a library, and nobody but the test on it.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use contract::claim::Mib;
use contract::limits_page::{Page, SharePolicy};
use contract::paths;
use k8s_openapi::api::core::v1::Pod;
use kube::runtime::watcher::Event;
use plugin::cdi::spec::{Edits, Spec};
use plugin::claims::Pods;
use plugin::claims::accept::ClaimForm;
use plugin::claims::capacity::Card;
use plugin::identity::token::Token;
use plugin::kubelet::checkpoint;
use plugin::kubelet::prepare::{Prepare, Unprepared};
use plugin::prepare::{Delivery, Places, Preparer, Rules};
use prost::Message;
use serde_json::{Value, json};

pub(crate) const NODE: &str = "n1";
pub(crate) const RESOURCE: &str = "nvidia.com/vgpu-number";
pub(crate) const A: &str = "GPU-00000000-0000-0000-0000-00000000000a";
pub(crate) const B: &str = "GPU-00000000-0000-0000-0000-00000000000b";

/// One entry of kubelet's record.
#[derive(Clone)]
pub(crate) struct Held {
    pub(crate) pod: String,
    pub(crate) container: String,
    pub(crate) ids: Vec<String>,
    pub(crate) token: Token,
}

pub(crate) type AnyCards = Box<dyn Fn() -> Vec<Card> + Send + Sync>;

pub(crate) struct Node {
    pub(crate) place: tempfile::TempDir,
    pub(crate) pods: Arc<Pods>,
    pub(crate) cards: Arc<Mutex<Vec<Card>>>,
    pub(crate) record: Vec<Held>,
    pub(crate) preparer: Arc<Preparer<AnyCards>>,
}

impl Node {
    pub(crate) fn new() -> Self {
        Self::with(Delivery::Cdi)
    }

    pub(crate) fn with(delivery: Delivery) -> Self {
        let place = tempfile::tempdir().unwrap();
        let cards = Arc::new(Mutex::new(vec![card(A), card(B)]));
        let path = place.path();
        fs::create_dir(path.join("driver")).unwrap();
        let gpu = |uuid: &str, node: &str| json!({"name": uuid, "containerEdits": {"deviceNodes": [{"path": node}]}});
        let driver = json!({"cdiVersion": "0.6.0", "kind": "nvidia.com/gpu",
            "devices": [gpu(A, "/dev/nvidia0"), gpu(B, "/dev/nvidia1")]});
        fs::write(path.join("driver/nvidia.json"), driver.to_string()).unwrap();
        fs::create_dir_all(path.join("lib/1")).unwrap();
        fs::write(path.join("lib/1/libvgpu.so"), "library").unwrap();
        symlink("1", path.join("lib/current")).unwrap();
        let pods = Arc::new(Pods::default());
        let preparer = preparer(path, &pods, &cards, delivery);
        let node = Self { place, pods, cards, record: Vec::new(), preparer };
        node.pods.note(Event::Init, RESOURCE);
        node.pods.note(Event::InitDone, RESOURCE);
        node.write_record();
        node
    }

    /// The agent is started anew; what the API server has told is lost with the old one, and it tells nothing more.
    pub(crate) fn restart_without_api(&mut self) {
        self.pods = Arc::new(Pods::default());
        self.preparer = preparer(self.place.path(), &self.pods, &self.cards, Delivery::Cdi);
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.place.path().join(name)
    }

    /// The API server tells of a pod with these containers: name, whether it is an init container, devices.
    pub(crate) fn pod(&self, uid: &str, containers: &[(&str, bool, usize)], annotations: &[(&str, String)]) {
        let list = |init: bool| -> Vec<Value> {
            let those = containers.iter().filter(|container| container.1 == init);
            those
                .map(|(name, _, count)| json!({"name": name, "resources": {"limits": {RESOURCE: count.to_string()}}}))
                .collect()
        };
        let annotations: BTreeMap<&str, &String> =
            annotations.iter().map(|(key, value)| (*key, value)).collect();
        let pod = json!({
            "metadata": {"uid": uid, "name": uid, "namespace": "team", "annotations": annotations},
            "spec": {"initContainers": list(true), "containers": list(false)}
        });
        let pod: Pod = serde_json::from_value(pod).unwrap();
        self.pods.note(Event::Apply(pod), RESOURCE);
    }

    /// The API server tells that a pod has gone.
    pub(crate) fn gone(&self, uid: &str) {
        let pod = json!({"metadata": {"uid": uid, "name": uid}, "spec": {"containers": []}});
        self.pods.note(Event::Delete(serde_json::from_value(pod).unwrap()), RESOURCE);
    }

    /// A pod with one container `main` and a right claim.
    pub(crate) fn usual_pod(&self, uid: &str, gpu: &str, memory: u32) {
        self.pod(uid, &[("main", false, 1)], &[claim(uid, &[("main", &[(gpu, memory)])])]);
    }

    /// Kubelet allocates devices for a container.
    pub(crate) fn allocate(&mut self, pod: &str, container: &str, ids: &[&str]) -> Held {
        let held = Held {
            pod: pod.to_owned(),
            container: container.to_owned(),
            ids: ids.iter().map(|&id| id.to_owned()).collect(),
            token: Token::draw().unwrap(),
        };
        self.record.push(held.clone());
        self.write_record();
        held
    }

    pub(crate) fn write_record(&self) {
        let entry = |held: &Held| {
            let answer = self.preparer.answer(held.token, &held.ids);
            json!({"PodUID": held.pod, "ContainerName": held.container, "ResourceName": RESOURCE,
                "DeviceIDs": {"-1": held.ids}, "AllocResp": STANDARD.encode(answer.encode_to_vec())})
        };
        let entries: Vec<Value> = self.record.iter().map(entry).collect();
        let text = json!({"Data": {"PodDeviceEntries": entries, "RegisteredDevices": {}}, "Checksum": 0});
        fs::write(self.path(checkpoint::FILE), text.to_string()).unwrap();
    }

    /// Kubelet is about to create the container.
    pub(crate) async fn start(&self, held: &Held) -> Result<(), String> {
        self.preparer.prepare(&held.ids).await.map_err(|Unprepared(fault)| fault)
    }

    /// What the runtime finds under the container's token.
    pub(crate) fn edits(&self, held: &Held) -> Option<Edits> {
        let path = self.path(&format!("cdi/vgpu.io-slice_{}.json", held.token));
        let spec: Spec = serde_json::from_slice(&fs::read(path).ok()?).unwrap();
        assert_eq!(spec.devices[0].name, held.token.to_string());
        Some(spec.devices[0].container_edits.clone())
    }

    /// The limits that a container sees: GPU and MiB.
    pub(crate) fn limits(&self, held: &Held) -> Option<Vec<(String, u64)>> {
        let page = self.page(held)?;
        let entries = page.entries().iter();
        Some(entries.map(|entry| (entry.uuid.to_string(), entry.memory.unwrap().0 >> 20)).collect())
    }

    pub(crate) fn page(&self, held: &Held) -> Option<Page> {
        let dir = host(&self.edits(held)?, paths::LIMITS_DIR);
        Some(Page::decode(&fs::read(paths::limits_file(Path::new(&dir))).unwrap()).unwrap())
    }
}

fn preparer(
    path: &Path,
    pods: &Arc<Pods>,
    cards: &Arc<Mutex<Vec<Card>>>,
    delivery: Delivery,
) -> Arc<Preparer<AnyCards>> {
    let places = Places {
        checkpoint: path.join(checkpoint::FILE),
        pod_resources: path.join("pod-resources.sock"),
        state: path.join("state"),
        cdi: path.join("cdi"),
        driver_cdi: vec![path.join("driver")],
        delivery,
        library: path.join("lib/current/libvgpu.so"),
    };
    let rules = Rules {
        node: NODE.to_owned(),
        domain: contract::resources::Domain::default(),
        resource: "nvidia.com/vgpu-number".to_owned(),
        form: ClaimForm::Own,
        policy: SharePolicy::Fixed,
    };
    let cards = Arc::clone(cards);
    let cards: AnyCards = Box::new(move || cards.lock().unwrap().clone());
    Arc::new(Preparer::new(places, rules, Arc::clone(pods), cards).unwrap())
}

fn card(uuid: &str) -> Card {
    let uuid = uuid.parse().unwrap();
    Card { uuid, index: None, memory: Mib::new(1000).unwrap(), cores: 100, slots: 100, fault: None }
}

/// The annotation that gives containers these GPUs and MiB.
pub(crate) fn claim(pod: &str, containers: &[(&str, &[(&str, u32)])]) -> (&'static str, String) {
    let devices = |devices: &[(&str, u32)]| -> Vec<Value> {
        devices.iter().map(|(uuid, memory)| json!({"uuid": uuid, "memoryMiB": memory})).collect()
    };
    let containers: BTreeMap<&str, Vec<Value>> =
        containers.iter().map(|(name, list)| (*name, devices(list))).collect();
    let claim = json!({"version": 1, "podUid": pod, "node": NODE, "containers": containers});
    ("nvidia.com/vgpu-claim", claim.to_string())
}

/// What on the host is mounted at `path` in the container.
pub(crate) fn host(edits: &Edits, path: &str) -> String {
    let mount = edits.mounts.iter().find(|mount| mount.container_path == path);
    mount.unwrap_or_else(|| panic!("nothing is mounted at {path}")).host_path.clone()
}
