//! Balance and priorities: programs on a simulated card stand for those of containers, and have their files.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use contract::limits_page::{Effective, effective_word};
use contract::{env, paths};
use plugin::settings::node::NodeSettings;
use plugin::settings::scaling::Scaling;
use plugin::shares::Divider;
use serde_json::json;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::node::{A, Held, NODE, Node, host};

/// A node on which GPUs are divided.
struct World {
    node: Node,
    settings: watch::Sender<NodeSettings>,
    divider: JoinHandle<()>,
}

impl World {
    fn new() -> Self {
        let node = Node::new();
        let settings = watch::Sender::new(NodeSettings::default());
        let divider = divide(&node, &settings);
        fs::write(node.path("machine.toml"), format!("[[devices]]\nuuid = \"{A}\"\n")).unwrap();
        Self { node, settings, divider }
    }

    /// The agent is started anew.
    fn restart(&mut self) {
        self.divider.abort();
        self.node.restart_without_api();
        self.divider = divide(&self.node, &self.settings);
    }

    /// A container that may have `cores` percent of the card.
    async fn container(&mut self, pod: &str, cores: u8, annotations: &[(&'static str, &str)]) -> Held {
        self.container_of(pod, 490, cores, annotations).await
    }

    /// One that may have `memory` MiB of the card as well.
    async fn container_of(
        &mut self,
        pod: &str,
        memory: u32,
        cores: u8,
        annotations: &[(&'static str, &str)],
    ) -> Held {
        let device = json!([{"uuid": A, "memoryMiB": memory, "cores": cores}]);
        let claim = json!({"version": 1, "podUid": pod, "node": NODE, "containers": {"main": device}});
        let mut all = vec![("nvidia.com/vgpu-claim", claim.to_string())];
        all.extend(annotations.iter().map(|(key, value)| (*key, (*value).to_owned())));
        self.node.pod(pod, &[("main", false, 1)], &all);
        let held = self.node.allocate(pod, "main", &[pod]);
        self.node.start(&held).await.unwrap();
        held
    }

    /// A program of the container that launches as much as it can.
    fn program(&self, held: &Held) -> Program {
        let edits = self.node.edits(held).unwrap();
        let process = Command::new(stage("bin/launcher"))
            .args(["medium", "--seconds", "0"])
            .env("LD_PRELOAD", stage("lib/libvgpu.so"))
            .env("LD_LIBRARY_PATH", stage("sim/550"))
            .env("VGPU_SIM_SOCKET", self.node.path("socket"))
            .env("VGPU_SIM_CONFIG", self.node.path("machine.toml"))
            .env(env::LIMITS_DIR, host(&edits, paths::LIMITS_DIR))
            .env(env::REGION, host(&edits, paths::CONTAINER_REGION))
            .stdout(Stdio::null())
            .spawn();
        Program(process.unwrap())
    }

    /// What the container is allowed beside its own share at this moment: thousandths, and whether its gate is closed.
    fn allowed(&self, held: &Held) -> Option<(u16, bool)> {
        let word = self.word(held);
        let now = Duration::from_nanos(monitor::shares::now().0);
        let effective = Effective::from_word(word).filter(|effective| effective.holds(now));
        effective.map(|effective| (effective.share.get(), effective.is_gated))
    }

    fn page(&self, held: &Held) -> PathBuf {
        let dir = host(&self.node.edits(held).unwrap(), paths::LIMITS_DIR);
        paths::limits_file(Path::new(&dir))
    }

    fn word(&self, held: &Held) -> u64 {
        let bytes = fs::read(self.page(held)).unwrap();
        u64::from_le_bytes(bytes.as_chunks().0[effective_word(0)])
    }

    /// Waits until the container is allowed as much as `is_right` says.
    async fn until(&self, held: &Held, what: &str, is_right: impl Fn(Option<(u16, bool)>) -> bool) {
        let start = Instant::now();
        while !is_right(self.allowed(held)) {
            let allowed = self.allowed(held);
            assert!(start.elapsed() < Duration::from_secs(120), "{what}: {}: {allowed:?}", held.pod);
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}

impl Drop for World {
    fn drop(&mut self) {
        self.divider.abort();
    }
}

fn divide(node: &Node, settings: &watch::Sender<NodeSettings>) -> JoinHandle<()> {
    let (slices, settings) = (node.preparer.slices(), settings.subscribe());
    let divider = Divider::start().unwrap();
    tokio::spawn(async move { divider.follow(slices, settings).await })
}

fn stage(name: &str) -> PathBuf {
    let stage = std::env::var_os("VGPU_STAGE").expect("VGPU_STAGE names the stage: cargo xtask test");
    Path::new(&stage).join(name)
}

/// Ends with this.
struct Program(Child);

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

const BALANCE: (&str, &str) = ("nvidia.com/vgpu-compute-policy", "balance");

#[tokio::test]
async fn what_one_container_leaves_unused_another_has_until_both_work() {
    let mut world = World::new();
    let one = world.container("one", 30, &[BALANCE]).await;
    let other = world.container("other", 30, &[BALANCE]).await;
    let _busy = world.program(&one);
    world.until(&one, "alone", |allowed| allowed == Some((999, false))).await;
    let late = world.program(&other);
    for held in [&one, &other] {
        world.until(held, "both", |allowed| allowed == Some((500, false))).await;
    }
    drop(late);
    world.until(&one, "alone again", |allowed| allowed == Some((999, false))).await;
    let half = NodeSettings { cores_scaling: Scaling::new(0.5).unwrap(), ..NodeSettings::default() };
    world.settings.send_replace(half);
    world.until(&one, "half of the card is kept back", |allowed| allowed == Some((500, false))).await;
}

#[tokio::test]
async fn an_agent_that_is_started_anew_goes_on_dividing() {
    let mut world = World::new();
    let one = world.container("one", 30, &[BALANCE]).await;
    let busy = world.program(&one);
    world.until(&one, "alone", |allowed| allowed == Some((999, false))).await;
    world.divider.abort();
    world.until(&one, "without an owner", |allowed| allowed.is_none()).await;
    world.restart();
    world.until(&one, "with the next", |allowed| allowed == Some((999, false))).await;
    // The container is started again: it has a new region.
    drop(busy);
    world.until(&one, "it does nothing", |allowed| allowed.is_none()).await;
    world.node.start(&one).await.unwrap();
    let _busy = world.program(&one);
    world.until(&one, "in its next run", |allowed| allowed == Some((999, false))).await;
}

#[tokio::test]
async fn a_high_priority_closes_the_gates_of_others_while_it_works() {
    let mut world = World::new();
    let low = world.container("low", 50, &[]).await;
    let _low = world.program(&low);
    let high = world.container("high", 20, &[("nvidia.com/vgpu-priority", "0")]).await;
    let works = world.program(&high);
    world.until(&low, "beside high", |allowed| allowed == Some((500, true))).await;
    assert!(world.allowed(&high).is_none_or(|allowed| allowed == (200, false)));
    drop(works);
    world.until(&low, "alone", |allowed| allowed.is_none_or(|(_, is_gated)| !is_gated)).await;
}

#[tokio::test]
async fn a_container_that_locked_its_page_was_not_gated() {
    let mut world = World::new();
    let low = world.container("low", 50, &[]).await;
    let locked = fs::File::open(world.page(&low)).unwrap();
    locked.try_lock().unwrap();
    let _low = world.program(&low);
    let high = world.container("high", 20, &[("nvidia.com/vgpu-priority", "0")]).await;
    let _high = world.program(&high);
    world.until(&low, "beside high", |allowed| allowed == Some((500, true))).await;
}

/// What the thread that divides has used of a processor meanwhile, in millionths.
async fn cost() -> u64 {
    let used = || -> u64 {
        let threads = fs::read_dir("/proc/self/task").unwrap().map(|entry| entry.unwrap().path());
        let ours =
            threads.filter(|path| fs::read_to_string(path.join("comm")).is_ok_and(|name| name == "shares\n"));
        let used = ours.filter_map(|path| fs::read_to_string(path.join("schedstat")).ok());
        used.filter_map(|text| text.split(' ').next()?.parse::<u64>().ok()).sum()
    };
    let (start, before) = (Instant::now(), used());
    tokio::time::sleep(Duration::from_secs(3)).await;
    used().saturating_sub(before) * 1_000_000 / u64::try_from(start.elapsed().as_nanos()).unwrap()
}

/// Other tests of this program would divide at the same time:
/// `cargo xtask test -p plugin --test prepare -- --ignored --nocapture what_dividing_costs`.
#[tokio::test]
#[ignore = "prints what it measures, and has to run alone"]
async fn what_dividing_costs_is_told() {
    for (policy, containers) in [("fixed", 100), ("balance", 0), ("balance", 10), ("balance", 100)] {
        let mut world = World::new();
        for number in 0..containers {
            let pod = format!("p{number}");
            world.container_of(&pod, 1, 1, &[("nvidia.com/vgpu-compute-policy", policy)]).await;
        }
        println!("{containers} idle containers under {policy}: {} ppm of a processor", cost().await);
        if containers == 10 {
            let busy = world.container_of("busy", 490, 20, &[BALANCE]).await;
            let _program = world.program(&busy);
            world.until(&busy, "it works", |allowed| allowed.is_some()).await;
            println!("and a busy one: {} ppm", cost().await);
        }
    }
}

#[tokio::test]
async fn where_nobody_asks_for_balance_no_page_is_written() {
    let mut world = World::new();
    let one = world.container("one", 30, &[]).await;
    let other = world.container("other", 30, &[]).await;
    let _programs = [world.program(&one), world.program(&other)];
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert_eq!([world.word(&one), world.word(&other)], [0, 0]);
}
