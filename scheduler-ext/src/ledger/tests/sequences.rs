//! For all sequences of events, reservations and mishaps.

use std::collections::{BTreeMap, VecDeque};

use contract::claim::Claim;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::super::*;
use super::scene::{self, World, asks};
use crate::api::Pod;

const NODES: [&str; 3] = ["a", "b", "c"];
const PODS: [&str; 8] = ["p0", "p1", "p2", "p3", "p4", "p5", "p6", "p7"];
const MEMORY: [u32; 2] = [1000, 1000];

/// What happens.
#[derive(Clone, Debug)]
enum Act {
    /// A bind begins.
    Assume(usize, usize),
    /// Its request reaches the API server.
    Post(usize),
    /// Its answer comes back.
    Settle(usize),
    Delete(usize),
    Finish(usize),
    Start(usize),
    /// Events reach the ledger.
    Deliver(usize),
    /// The last one comes once more.
    Repeat,
    /// The watch breaks and events are lost, until the next list.
    Lose,
    BeginList,
    EndList,
    LoseNode(usize),
    NoteNode(usize),
}

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let pod = 0..PODS.len();
    let node = 0..NODES.len();
    let act = prop_oneof![
        8 => (pod.clone(), node.clone()).prop_map(|(pod, node)| Act::Assume(pod, node)),
        6 => pod.clone().prop_map(Act::Post),
        6 => pod.clone().prop_map(Act::Settle),
        2 => pod.clone().prop_map(Act::Delete),
        2 => pod.clone().prop_map(Act::Finish),
        2 => pod.prop_map(Act::Start),
        6 => (1_usize..4).prop_map(Act::Deliver),
        1 => Just(Act::Repeat),
        1 => Just(Act::Lose),
        2 => Just(Act::BeginList),
        3 => Just(Act::EndList),
        1 => node.clone().prop_map(Act::LoseNode),
        2 => node.prop_map(Act::NoteNode),
    ];
    prop::collection::vec(act, 1..120)
}

/// What a pod asks for: as much as makes some of them fit beside each other and others not.
fn limits(pod: usize) -> Value {
    let number = 1 + u64::from(pod % 4 == 3);
    asks(number, [0, 300, 500, 700][pod % 4], [0, 0, 60][pod % 3])
}

/// A request of a bind, and whether it was taken once it has arrived.
struct Flight {
    claim: Claim,
    taken: Option<bool>,
}

/// An API server and a ledger that watches it.
struct Cluster {
    world: World,
    /// What the API server has.
    pods: BTreeMap<usize, Value>,
    flights: BTreeMap<usize, Flight>,
    /// What it has not told yet: a pod as it is, or the name of one that is gone.
    events: VecDeque<Result<Value, usize>>,
    last: Option<Result<Value, usize>>,
    /// A list that is being read.
    list: Option<(Vec<Value>, Mark)>,
    is_blind: bool,
}

impl Cluster {
    fn new() -> Self {
        let mut world = World::new();
        NODES.iter().for_each(|node| world.node(node, &MEMORY));
        let pods = (0..PODS.len()).map(|pod| (pod, scene::pod(PODS[pod], &limits(pod)))).collect();
        Self {
            world,
            pods,
            flights: BTreeMap::new(),
            events: VecDeque::new(),
            last: None,
            list: None,
            is_blind: false,
        }
    }

    fn act(&mut self, act: &Act) {
        match *act {
            Act::Assume(pod, node) => self.assume(pod, NODES[node]),
            Act::Post(pod) => self.post(pod),
            Act::Settle(pod) => self.settle(pod),
            Act::Delete(pod) => {
                self.pods.remove(&pod);
                self.tell(Err(pod));
            }
            Act::Finish(pod) => self.phase(pod, "Succeeded"),
            Act::Start(pod) => self.phase(pod, "Running"),
            Act::Deliver(count) => (0..count).for_each(|_| self.deliver()),
            Act::Repeat => {
                if let Some(event) = self.last.clone() {
                    self.note(&event);
                }
            }
            Act::Lose => {
                self.events.clear();
                (self.list, self.last, self.is_blind) = (None, None, true);
            }
            Act::BeginList => {
                self.events.clear();
                self.list = Some((self.pods.values().cloned().collect(), self.world.ledger.mark()));
            }
            Act::EndList => self.end_list(),
            Act::LoseNode(node) => self.world.ledger.forget_node(NODES[node]),
            Act::NoteNode(node) => self.world.node(NODES[node], &MEMORY),
        }
    }

    /// Binds of one pod come one after the other.
    fn assume(&mut self, pod: usize, node: &str) {
        if self.flights.contains_key(&pod) {
            return;
        }
        let before = format!("{:?}", self.world.ledger.view(node));
        match self.world.assume(PODS[pod], node, &limits(pod)) {
            Ok(reservation) => {
                self.flights.insert(pod, Flight { claim: reservation.claim, taken: None });
            }
            Err(_) => assert_eq!(format!("{:?}", self.world.ledger.view(node)), before),
        }
    }

    fn post(&mut self, pod: usize) {
        let Some(flight) = self.flights.get_mut(&pod).filter(|flight| flight.taken.is_none()) else { return };
        let object = self.pods.get_mut(&pod).filter(|object| object["spec"]["nodeName"].is_null());
        flight.taken = Some(object.is_some());
        if let Some(object) = object {
            let phase = object["status"]["phase"].as_str().unwrap().to_owned();
            *object = scene::bound(PODS[pod], &limits(pod), &flight.claim, &phase);
            let object = object.clone();
            self.tell(Ok(object));
        }
    }

    fn settle(&mut self, pod: usize) {
        if self.flights.get(&pod).is_none_or(|flight| flight.taken.is_none()) {
            return;
        }
        let is_taken = self.flights.remove(&pod).is_some_and(|flight| flight.taken == Some(true));
        let uid = PODS[pod].parse().unwrap();
        if is_taken { self.world.ledger.confirm(&uid) } else { self.world.ledger.release(&uid) }
    }

    fn phase(&mut self, pod: usize, phase: &str) {
        let is_bound = |object: &&mut Value| !object["spec"]["nodeName"].is_null();
        let Some(object) = self.pods.get_mut(&pod).filter(is_bound) else { return };
        if object["status"]["phase"] != "Succeeded" {
            object["status"]["phase"] = json!(phase);
            let object = object.clone();
            self.tell(Ok(object));
        }
    }

    fn tell(&mut self, event: Result<Value, usize>) {
        if !self.is_blind || self.list.is_some() {
            self.events.push_back(event);
        }
    }

    fn deliver(&mut self) {
        if self.list.is_none()
            && let Some(event) = self.events.pop_front()
        {
            self.note(&event);
            self.last = Some(event);
        }
    }

    fn note(&mut self, event: &Result<Value, usize>) {
        match event {
            Ok(pod) => self.world.pod(pod),
            Err(pod) => self.world.gone(PODS[*pod]),
        }
    }

    fn end_list(&mut self) {
        let Some((pods, since)) = self.list.take() else { return };
        self.world.ledger.replace_pods(words(&pods), since);
        (self.last, self.is_blind) = (None, false);
    }

    /// What the API server has, which grows with each pod that is bound, is never more than there is, and neither is what the
    /// ledger has.
    fn check(&self, after: &Act) {
        let told = |act: &Act| matches!(act, Act::Post(_));
        let bound = told(after).then(|| World::filled(&NODES, &MEMORY, self.pods.values()));
        for world in [Some(&self.world), bound.as_ref()].into_iter().flatten() {
            for node in NODES.iter().filter_map(|node| world.ledger.view(node).ok()) {
                for device in &node.devices {
                    let (used, all) = (device.used, device.capacity);
                    assert!(used.slots <= all.slots && used.memory <= all.memory && used.cores <= all.cores);
                    assert!(!used.is_exclusive || used.slots == 1);
                }
            }
        }
        self.check_likeness();
    }

    /// Nodes are alike exactly when their devices are, and so is what is used of them.
    fn check_likeness(&self) {
        let ledger = &self.world.ledger;
        for (one, other) in NODES.into_iter().flat_map(|one| NODES.map(|other| (one, other))) {
            let (devices, others) = (ledger.view(one).ok(), ledger.view(other).ok());
            assert_eq!(ledger.likeness(one).is_some(), devices.is_some());
            assert_eq!(ledger.likeness(one) == ledger.likeness(other), devices == others);
        }
    }

    /// When everything has been told, the ledger is as one that is filled anew: after one more list where a pod was bound and deleted
    /// while the watch was broken, and its bind knew only later that it had succeeded.
    fn come_to_rest(&mut self) {
        (0..PODS.len()).for_each(|pod| self.post(pod));
        (0..PODS.len()).for_each(|pod| self.settle(pod));
        self.end_list();
        if self.is_blind {
            self.list();
        }
        while !self.events.is_empty() {
            self.deliver();
        }
        NODES.iter().for_each(|node| self.world.node(node, &MEMORY));
        let anew = World::filled(&NODES, &MEMORY, self.pods.values());
        let differences = |ledger: &Ledger| ledger.differences(&anew.ledger, ledger.mark());
        assert_eq!(differences(&self.world.ledger), []);
        if self.world.ledger.has_unseen(self.world.ledger.mark()) {
            self.list();
        }
        assert_eq!(differences(&self.world.ledger), []);
        for node in NODES {
            assert_eq!(self.world.ledger.view(node), anew.ledger.view(node));
        }
    }

    fn list(&mut self) {
        self.act(&Act::BeginList);
        self.end_list();
    }
}

fn words(pods: &[Value]) -> Vec<PodWord> {
    let read = |pod: &Value| serde_json::from_value::<Pod>(pod.clone()).unwrap();
    pods.iter().filter_map(|pod| PodWord::read(&read(pod), &scene::reader())).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(80))]

    #[test]
    fn no_device_is_given_out_twice_and_nothing_is_left_behind(acts in acts()) {
        let mut cluster = Cluster::new();
        for act in &acts {
            cluster.act(act);
            cluster.check(act);
        }
        cluster.come_to_rest();
    }
}
