//! Compares what the API server says that pods were given with what it says that nodes have. It knows nothing of the scheduler
//! extender's code.

use std::collections::BTreeMap;
use std::ops::AddAssign;

use serde_json::Value;

use super::tenant::claim;
use crate::kubectl::kubectl;

/// What resources are called, by us and by HAMi.
type Names = [&'static str; 2];
const NUMBER: Names = ["nvidia.com/vgpu-number", "nvidia.com/gpu"];
const MEMORY: Names = ["nvidia.com/vgpu-memory", "nvidia.com/gpumem"];
const CORES: Names = ["nvidia.com/vgpu-cores", "nvidia.com/gpucores"];

/// What is not as it has to be now; `None` while the API server is away.
pub fn faults() -> Option<Vec<String>> {
    Some(wrong(&list("nodes")?, &list("pods")?))
}

/// The MiB that pods hold of each card that they hold something of, now.
pub fn claimed() -> Option<BTreeMap<String, u64>> {
    let (held, _) = held(&list("pods")?);
    Some(held.into_values().flatten().map(|(card, amount)| (card, amount.memory)).collect())
}

/// All objects of a kind, at one moment.
fn list(kind: &str) -> Option<Vec<Value>> {
    let text = kubectl(&["get", "--raw", &format!("/api/v1/{kind}")], "").ok()?;
    serde_json::from_str::<Value>(&text).ok()?["items"].as_array().cloned()
}

/// An amount of one card.
#[derive(Clone, Copy, Debug, Default)]
struct Amount {
    memory: u64,
    cores: u64,
    containers: u64,
}

impl Amount {
    fn exceeds(self, other: Self) -> bool {
        self.memory > other.memory || self.cores > other.cores || self.containers > other.containers
    }

    fn max(self, other: Self) -> Self {
        Self {
            memory: self.memory.max(other.memory),
            cores: self.cores.max(other.cores),
            containers: self.containers.max(other.containers),
        }
    }
}

impl AddAssign for Amount {
    fn add_assign(&mut self, other: Self) {
        self.memory += other.memory;
        self.cores += other.cores;
        self.containers += other.containers;
    }
}

/// Amounts by the cards' UUIDs.
type Amounts = BTreeMap<String, Amount>;

/// What pods hold of the cards of each node, and which of them have not what they ask for.
fn held(pods: &[Value]) -> (BTreeMap<String, Amounts>, Vec<String>) {
    let (mut held, mut found) = (BTreeMap::<String, Amounts>::new(), Vec::new());
    for pod in pods.iter().filter(|pod| wants_slices(pod) && holds(pod)) {
        let name = format!("{}/{}", text(&pod["metadata"]["namespace"]), text(&pod["metadata"]["name"]));
        match holding(pod) {
            Ok(amounts) => add(held.entry(text(&pod["spec"]["nodeName"])).or_default(), &amounts),
            Err(fault) => found.push(format!("{name}: {fault}")),
        }
    }
    (held, found)
}

/// What is not as it has to be.
fn wrong(nodes: &[Value], pods: &[Value]) -> Vec<String> {
    let (mut held, mut found) = held(pods);
    for node in nodes {
        let name = text(&node["metadata"]["name"]);
        let has = cards(node);
        for (card, amount) in held.remove(&name).unwrap_or_default() {
            match has.get(&card) {
                Some(all) if !amount.exceeds(*all) => {}
                all => found.push(format!("{name}: pods hold {amount:?} of {card}, which has {all:?}")),
            }
        }
    }
    found.extend(held.into_keys().map(|node| format!("pods hold something of {node}, which is not there")));
    found
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// What a node has registered.
fn cards(node: &Value) -> Amounts {
    let annotation = text(&node["metadata"]["annotations"]["nvidia.com/node-device-register"]);
    let cards: Vec<Value> = serde_json::from_str(&annotation).unwrap_or_default();
    let number = |value: &Value| value.as_u64().unwrap_or_default();
    let amount = |card: &Value| Amount {
        memory: number(&card["memory"]),
        cores: number(&card["core"]),
        containers: number(&card["number"]),
    };
    cards.iter().map(|card| (text(&card["uuid"]), amount(card))).collect()
}

fn list_of<'a>(pod: &'a Value, list: &str) -> impl Iterator<Item = &'a Value> + use<'a> {
    pod["spec"][list].as_array().into_iter().flatten()
}

fn wants_slices(pod: &Value) -> bool {
    let mut all = list_of(pod, "initContainers").chain(list_of(pod, "containers"));
    all.any(|container| NUMBER.iter().any(|name| !container["resources"]["limits"][name].is_null()))
}

/// A pod holds from when it is bound until all of its containers have ended.
fn holds(pod: &Value) -> bool {
    let is_over = matches!(pod["status"]["phase"].as_str(), Some("Succeeded" | "Failed"));
    pod["spec"]["nodeName"].is_string() && !is_over
}

/// The most that a pod has of each card at any time.
fn holding(pod: &Value) -> Result<Amounts, String> {
    let claim = claim(pod).ok_or("it is bound without a claim that can be read")?;
    let (uid, node) = (&pod["metadata"]["uid"], &pod["spec"]["nodeName"]);
    if (&claim["podUid"], &claim["node"]) != (uid, node) {
        return Err(format!("its claim is of {} on {}", claim["podUid"], claim["node"]));
    }
    let (mut now, mut most) = (Amounts::new(), Amounts::new());
    for container in list_of(pod, "initContainers") {
        let before = now.clone();
        add(&mut now, &of_container(container, &claim)?);
        raise(&mut most, &now);
        if container["restartPolicy"] != "Always" {
            now = before;
        }
    }
    for container in list_of(pod, "containers") {
        add(&mut now, &of_container(container, &claim)?);
    }
    raise(&mut most, &now);
    Ok(most)
}

fn add(sum: &mut Amounts, others: &Amounts) {
    others.iter().for_each(|(card, amount)| *sum.entry(card.clone()).or_default() += *amount);
}

fn raise(most: &mut Amounts, others: &Amounts) {
    for (card, amount) in others {
        let there = most.entry(card.clone()).or_default();
        *there = there.max(*amount);
    }
}

/// How much of a resource a container asks for. The API server writes 3000 as `3k`.
fn asked(container: &Value, names: Names) -> Option<u64> {
    let text = names.iter().find_map(|name| container["resources"]["limits"][name].as_str())?;
    let thousands = text.strip_suffix('k').and_then(|text| text.parse::<u64>().ok());
    thousands.map(|count| count * 1000).or_else(|| text.parse().ok())
}

/// What a container was given, which has to be what it asks for.
fn of_container(container: &Value, claim: &Value) -> Result<Amounts, String> {
    let name = text(&container["name"]);
    let given = claim["containers"][&name].as_array().cloned().unwrap_or_default();
    let (wanted, count) =
        (asked(container, NUMBER).unwrap_or(0), u64::try_from(given.len()).unwrap_or(u64::MAX));
    if wanted != count {
        return Err(format!("{name} asks for {wanted} cards and has {count}"));
    }
    let mut amounts = Amounts::new();
    for part in &given {
        let number = |field: &str| part[field].as_u64().unwrap_or_default();
        let (memory, cores) = (number("memoryMiB"), number("cores"));
        for (names, has, what) in [(MEMORY, memory, "MiB"), (CORES, cores, "% of the time")] {
            if let Some(wanted) = asked(container, names).filter(|wanted| *wanted != has) {
                return Err(format!("{name} asks for {wanted} {what} and has {has}"));
            }
        }
        let amount = Amount { memory, cores, containers: 1 };
        *amounts.entry(text(&part["uuid"])).or_default() += amount;
    }
    Ok(amounts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn node() -> Value {
        let cards = json!([{"uuid": "GPU-a", "memory": 1000, "core": 100, "number": 3}]).to_string();
        json!({"metadata": {"name": "n", "annotations": {"nvidia.com/node-device-register": cards}}})
    }

    fn pod(uid: &str, memory: u64, phase: &str) -> Value {
        let claim = json!({"version": 1, "podUid": uid, "node": "n",
            "containers": {"main": [{"uuid": "GPU-a", "memoryMiB": memory}]}});
        let main =
            json!({"name": "main", "resources": {"limits": {NUMBER[0]: "1", MEMORY[0]: memory.to_string()}}});
        json!({
            "metadata": {"namespace": "s", "name": uid, "uid": uid, "annotations": {"nvidia.com/vgpu-claim": claim.to_string()}},
            "spec": {"nodeName": "n", "containers": [main]},
            "status": {"phase": phase}
        })
    }

    #[test]
    fn what_fits_is_right_and_one_mib_more_is_found() {
        let pods = [pod("a", 600, "Running"), pod("b", 400, "Pending"), pod("c", 900, "Succeeded")];
        assert_eq!(wrong(&[node()], &pods), [""; 0]);
        let found = wrong(&[node()], &[pods[0].clone(), pod("b", 401, "Pending")]);
        assert!(found.len() == 1 && found[0].contains("memory: 1001"), "{found:?}");
    }

    #[test]
    fn a_claim_of_another_pod_none_and_too_little_are_found() {
        let mut copied = pod("a", 1, "Running");
        copied["metadata"]["uid"] = json!("b");
        let mut without = pod("a", 1, "Running");
        without["metadata"]["annotations"] = json!({});
        let mut little = pod("a", 1, "Running");
        little["spec"]["containers"][0]["resources"]["limits"][MEMORY[0]] = json!("2");
        for (pod, said) in [(copied, "its claim is of"), (without, "without a claim"), (little, "and has 1")]
        {
            let found = wrong(&[node()], &[pod]);
            assert!(found.len() == 1 && found[0].contains(said), "{found:?}");
        }
    }

    #[test]
    fn who_asks_by_hamis_names_is_looked_at_too() {
        let mut pod = pod("a", 500, "Running");
        pod["spec"]["containers"][0]["resources"]["limits"] =
            json!({NUMBER[1]: "1", MEMORY[1]: "500", CORES[1]: "30"});
        assert_eq!(wrong(&[node()], &[pod]), ["s/a: main asks for 30 % of the time and has 0"]);
    }

    #[test]
    fn an_init_container_counts_beside_sidecars_and_not_beside_the_others() {
        let mut pod = pod("a", 500, "Running");
        let container = |name: &str, memory: u64| json!({"name": name, "resources": {"limits": {NUMBER[0]: "1", MEMORY[0]: memory.to_string()}}});
        let mut sidecar = container("proxy", 300);
        sidecar["restartPolicy"] = json!("Always");
        pod["spec"]["initContainers"] = json!([container("early", 900), sidecar, container("late", 700)]);
        let part = |memory: u64| json!([{"uuid": "GPU-a", "memoryMiB": memory}]);
        let claim = json!({"version": 1, "podUid": "a", "node": "n", "containers":
            {"early": part(900), "proxy": part(300), "late": part(700), "main": part(500)}});
        pod["metadata"]["annotations"] = json!({"nvidia.com/vgpu-claim": claim.to_string()});
        let holding = holding(&pod).unwrap();
        assert_eq!((holding["GPU-a"].memory, holding["GPU-a"].containers), (1000, 2));
    }
}
