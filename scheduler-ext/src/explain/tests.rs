use placement::{Amount, ContainerRequest, Cores, Device, Links, Memory, PodRequest, Policy, Role, State};

use serde_json::{Value, json};

use super::*;
use crate::ledger::tests::scene::{self, World};

fn node(memory: &[u64]) -> Node {
    let device = |(place, memory): (usize, &u64)| Device {
        uuid: format!("GPU-{place}"),
        model: "A100".to_owned(),
        capacity: Amount { slots: 10, memory: *memory, cores: 100, is_exclusive: false },
        used: Amount::default(),
        numa: None,
        state: State::Usable,
    };
    Node {
        devices: memory.iter().enumerate().map(device).collect(),
        links: Links::unknown(memory.len()),
        memory_factor: 1,
        is_memory_virtual: false,
    }
}

/// What is said of a pod by the scheduler `ours`.
fn explained(world: &World, pod: &Value) -> Explanation {
    let pod = serde_json::from_value(pod.clone()).unwrap();
    Explanation::new(&pod, "ours", &scene::reader(), &world.ledger)
}

fn ask(count: usize, memory: u64) -> Ask {
    let main = ContainerRequest {
        name: "main".to_owned(),
        role: Role::App,
        count,
        memory: Memory::Units(memory),
        cores: Cores::Percent(30),
    };
    let request = PodRequest { containers: vec![main], ..PodRequest::default() };
    Ask { request, node_policy: Policy::Binpack }
}

#[test]
fn reasons_are_counted_and_what_helps_has_been_tried() {
    let (small, two, one) = (node(&[1000, 1000]), node(&[4000, 3000]), node(&[4500]));
    let closed = Err(&NodeFault::NotReady);
    let nodes = [("a", Ok(&small)), ("b", Ok(&two)), ("c", closed), ("d", Ok(&one))];
    let waiting = Waiting::new(&ask(2, 5000), &nodes);
    assert_eq!(waiting.helps, ["MiB of memory: at most 3000 (b would take it)"]);
    assert_eq!(
        waiting.to_string(),
        "It asks for:\n  \
           container main: 5000 MiB of each of 2 GPUs, 30 % of the time\n  \
           nodes: the fullest first\n\
         0 of 4 nodes would take it\n      \
           2  Insufficient vGPU memory: a, b\n         \
              a: container main wants 2 GPUs and could have 0: Insufficient vGPU memory (2)\n      \
           1  Insufficient GPU cards: d\n         \
              d: container main wants 2 GPUs and could have 0: Insufficient vGPU memory (1)\n      \
           1  node not ready: c\n\
         Any one of these would help:\n  \
           - MiB of memory: at most 3000 (b would take it)\n"
    );
}

#[test]
fn a_pod_that_fits_needs_no_help() {
    let two = node(&[4000, 3000]);
    let waiting = Waiting::new(&ask(2, 3000), &[("b", Ok(&two))]);
    assert_eq!((waiting.fits.as_slice(), waiting.helps.len()), (["b".to_owned()].as_slice(), 0));
    assert!(waiting.to_string().contains("1 of 1 nodes would take it: b\n"));
}

#[test]
fn each_change_is_offered_only_if_it_alone_helps() {
    let nodes = [node(&[8000]), node(&[1000, 1000, 1000])];
    let views = [("a", Ok(&nodes[0])), ("b", Ok(&nodes[1]))];
    let waiting = Waiting::new(&ask(2, 5000), &views);
    assert_eq!(
        waiting.helps,
        ["MiB of memory: at most 1000 (b would take it)", "GPUs: at most 1 (a would take it)"]
    );
    let mut picky = ask(2, 900);
    picky.request.selection.not_models = vec!["a100".to_owned()];
    assert_eq!(Waiting::new(&picky, &views).helps, ["other models or GPUs (b would take it)"]);
    picky.request.containers[0].count = 9;
    assert!(Waiting::new(&picky, &views).to_string().contains("No single change of the pod would help"));
}

#[test]
fn who_wants_a_gpu_alone_is_told_that_a_part_would_do_and_memory_is_told_in_the_nodes_unit() {
    let mut used = node(&[4096]);
    used.devices[0].used = Amount { slots: 1, memory: 1024, cores: 30, is_exclusive: false };
    let mut alone = ask(1, 0);
    let main = &mut alone.request.containers[0];
    (main.memory, main.cores) = (Memory::Whole, Cores::Alone);
    let helps = |node: &Node, ask: &Ask| Waiting::new(ask, &[("a", Ok(node))]).helps;
    let part = "of a GPU that others share, in place of all its memory: at most";
    assert_eq!(helps(&used, &alone), [format!("MiB {part} 3072 (a would take it)")]);
    used.memory_factor = 1024;
    assert_eq!(helps(&used, &alone), [format!("units of 1024 MiB {part} 3 (a would take it)")]);
    let much = Waiting::new(&ask(1, 4), &[("a", Ok(&used))]);
    assert_eq!(much.asks[0], "container main: 4 units of 1024 MiB of a GPU, 30 % of the time");
    assert_eq!(much.helps, ["units of 1024 MiB of memory: at most 3 (a would take it)"]);
    let other = Waiting::new(&ask(1, 4), &[("a", Ok(&used)), ("b", Ok(&node(&[1])))]);
    assert!(other.asks[0].starts_with("container main: 4 units of memoryFactor MiB"), "{other}");
}

#[test]
fn what_is_left_of_each_gpu_is_a_table() {
    let mut one = node(&[4000]);
    one.devices[0].used = Amount { slots: 2, memory: 1500, cores: 30, is_exclusive: false };
    let nodes = Nodes::new(&[("a", Ok(&one)), ("longer", Err(&NodeFault::NotReady))]);
    assert_eq!(
        nodes.to_string(),
        "NODE  GPU    MODEL  MEMORY (MiB)  CORES (%)  SLICES\n\
         a     GPU-0  A100   1500/4000     30/100     2/10\n\
         longer: node not ready\n"
    );
    assert!(Nodes::new(&[]).to_string().starts_with("no node offers GPUs"));
}

#[test]
fn each_pod_is_told_what_has_become_of_it() {
    let mut world = World::new();
    world.node("a", &[1000]);
    let claim = scene::claim("there", "a", &[(0, 600, 30)]);
    let there = scene::bound("there", &scene::asks(1, 600, 30), &claim, "Running");
    world.pod(&there);
    let told = |pod: &Value| explained(&world, pod).to_string();
    assert_eq!(
        told(&there),
        format!(
            "team/there is on a and has:\n  container main: 600 MiB of {}, 30 % of its time\n",
            scene::uuid(0)
        )
    );
    let waits = told(&scene::pod("waits", &scene::asks(1, 600, 0)));
    assert!(
        waits.starts_with("team/waits waits for a node.\n")
            && waits.contains("1  Insufficient vGPU memory: a\n")
            && waits.contains("  - MiB of memory: at most 400 (a would take it)\n"),
        "{waits}"
    );
    assert_eq!(told(&scene::pod("p", &json!({"cpu": "1"}))), "team/p asks for no slice of a GPU.\n");
    assert!(
        told(&scene::pod("p", &scene::asks(1, 1, 101))).contains("  - container main: nvidia.com/vgpu-cores")
    );
    let mut pod = scene::pod("p", &scene::asks(1, 1, 1));
    pod["spec"]["nodeName"] = json!("a");
    assert!(told(&pod).starts_with("team/p is bound to a without a claim"));
    pod["status"]["phase"] = json!("Failed");
    assert_eq!(told(&pod), "team/p is over, and holds nothing.\n");
}

#[test]
fn a_program_reads_the_same() {
    let mut world = World::new();
    world.node("a", &[1000]);
    let pod = scene::pod("p", &scene::asks(1, 2000, 0));
    let told = serde_json::to_value(explained(&world, &pod)).unwrap();
    assert_eq!((&told["pod"], &told["verdict"]), (&json!("team/p"), &json!("waiting")));
    assert_eq!(told["refusals"]["Insufficient vGPU memory"][0]["node"], "a");
    let nodes = serde_json::to_value(Nodes::new(&views(&world.ledger))).unwrap();
    assert_eq!(nodes[0]["gpus"][0]["memory"], json!({"used": 0, "all": 1000}));
}

#[test]
fn what_is_kept_for_another_pod_is_not_offered() {
    let mut world = World::new();
    world.node("n", &[1000]);
    let said =
        |world: &World, uid: &str| explained(world, &scene::pod(uid, &scene::asks(1, 600, 0))).to_string();
    assert!(said(&world, "q").contains("1 of 1 nodes would take it: n"));
    let mut nominated = scene::pod("p", &scene::asks(1, 600, 0));
    nominated["status"]["nominatedNodeName"] = json!("n");
    world.pod(&nominated);
    assert!(said(&world, "q").contains("0 of 1 nodes would take it"), "{}", said(&world, "q"));
    assert!(said(&world, "p").contains("1 of 1 nodes would take it: n"));
}

#[test]
fn who_waits_for_another_scheduler_is_promised_nothing() {
    let mut world = World::new();
    world.node("n", &[1000]);
    let mut pod = scene::pod("p", &scene::asks(1, 600, 0));
    pod["spec"]["schedulerName"] = json!("default-scheduler");
    let said = |pod: &Value| explained(&world, pod).to_string();
    assert_eq!(
        said(&pod),
        "team/p waits for the scheduler default-scheduler, and only ours gives out slices. \
         Make it anew, with schedulerName: ours or without any.\n"
    );
    pod["spec"]["schedulerName"] = json!("ours");
    assert!(said(&pod).contains("1 of 1 nodes would take it"));
}

#[test]
fn a_name_that_is_almost_ours_is_named_beside_what_is_asked_for() {
    let mut world = World::new();
    world.node("n", &[1000]);
    let said = |limits: Value| explained(&world, &scene::pod("p", &limits)).to_string();
    let doubt = "Probably a mistake:\n  \
        - container main: nvidia.com/vgpu-mem is no resource of slices, and unless something else offers it the pod waits for ever; \
        known: nvidia.com/vgpu-number, nvidia.com/vgpu-memory, nvidia.com/vgpu-memory-percentage, nvidia.com/vgpu-cores\n";
    let alone = said(json!({"nvidia.com/vgpu-mem": "600"}));
    assert_eq!(alone, format!("team/p asks for no slice of a GPU.\n{doubt}"));
    let beside = said(json!({"nvidia.com/vgpu-number": "1", "nvidia.com/vgpu-mem": "600"}));
    assert!(beside.contains("1 of 1 nodes would take it") && beside.ends_with(doubt), "{beside}");

    let mut others = scene::pod("p", &json!({"nvidia.com/vgpumem": "600"}));
    others["spec"]["nodeName"] = json!("n");
    others["status"] = json!({"phase": "Running"});
    let said = explained(&world, &others).to_string();
    assert_eq!(said, "team/p asks for no slice of a GPU.\n", "it has what something else offers");
}

#[test]
fn who_was_bound_without_a_claim_is_told_so() {
    let mut world = World::new();
    world.node("n", &[1000]);
    let mut pod = scene::pod("p", &scene::asks(1, 600, 0));
    pod["spec"]["nodeName"] = json!("n");
    world.pod(&pod);
    let said = explained(&world, &pod).to_string();
    assert!(said.starts_with("team/p is bound to n without a claim"), "{said}");
}
