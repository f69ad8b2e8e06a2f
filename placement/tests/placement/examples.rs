//! Rules by example.

use placement::{
    Amount, Cores, Device, Effort, Memory, MemoryKind, Node, Obstacle, PodRequest, Policy, Question, Refusal,
    Role, Selection, State,
};

use crate::scene::{amount, app, container, device, devices, fits, node, place, pod, used};

fn refusal(node: &Node, request: &PodRequest) -> Refusal {
    fits(node, request).expect_err("a refusal")
}

#[test]
fn binpack_takes_what_is_used_most_and_spread_what_is_used_least() {
    let node = used(&[amount(1, 250, 25), amount(2, 500, 50), amount(0, 0, 0), amount(2, 500, 50)]);
    let chosen = |policy| devices(&node, &PodRequest { policy, ..app(1, 100, 10) });
    assert_eq!(chosen(Policy::Binpack), [[1]]);
    assert_eq!(chosen(Policy::Spread), [[2]]);
    assert_eq!(chosen(Policy::None), [[0]]);
}

#[test]
fn a_number_alone_is_the_device_alone() {
    let whole = |node: &Node| {
        let mut request = app(1, 1, 0);
        request.containers[0].memory = Memory::Whole;
        request.containers[0].cores = Cores::Alone;
        place(node, &request).map(|placement| placement.containers[0].clone())
    };
    let free = used(&[amount(1, 10, 0), amount(0, 0, 0)]);
    let all = Amount { is_exclusive: true, ..amount(1, 1000, 100) };
    assert_eq!(whole(&free), Ok(vec![(1, all)]));
    let taken = used(&[all]);
    assert_eq!(refusal(&taken, &app(1, 1, 0)).phrase(), "GPU used exclusively");
    assert_eq!(whole(&used(&[amount(1, 10, 0)])).unwrap_err().phrase(), "GPU in use");
}

#[test]
fn a_hundred_percent_is_the_device_alone_unless_more_are_given_out() {
    let mut node = used(&[amount(1, 10, 0)]);
    assert_eq!(refusal(&node, &app(1, 1, 100)).phrase(), "GPU in use");
    node.devices[0].capacity.cores = 200;
    assert_eq!(fits(&node, &app(1, 1, 100)), Ok(()));
}

#[test]
fn memory_is_in_units_of_the_node_or_a_part_of_what_is_given_out() {
    let mut node = used(&[amount(0, 0, 0)]);
    node.memory_factor = 10;
    let held = |memory| {
        let mut request = app(1, 1, 10);
        request.containers[0].memory = memory;
        place(&node, &request).map(|placement| placement.containers[0][0].1.memory)
    };
    assert_eq!(held(Memory::Units(100)), Ok(1000));
    assert_eq!(held(Memory::Units(101)).unwrap_err().phrase(), "Insufficient vGPU memory");
    assert_eq!(held(Memory::Units(u64::MAX)).unwrap_err().phrase(), "Insufficient vGPU memory");
    assert_eq!((held(Memory::Percent(25)), held(Memory::Whole)), (Ok(250), Ok(1000)));
}

#[test]
fn a_choice_that_leaves_nothing_for_another_container_is_undone() {
    // First come first served, the small one takes the only place of the large one.
    let node = used(&[amount(1, 100, 0), amount(1, 500, 0)]);
    let request = pod(vec![container(Role::App, 1, 400, 0), container(Role::App, 1, 900, 0)]);
    assert_eq!(devices(&node, &request), [[1], [0]]);
}

#[test]
fn init_containers_take_turns_on_what_the_pod_has_anyway() {
    let node = used(&[amount(0, 0, 0), amount(0, 0, 0)]);
    let request = PodRequest {
        policy: Policy::Spread,
        ..pod(vec![
            container(Role::Init, 1, 1000, 0),
            container(Role::Sidecar, 1, 100, 0),
            container(Role::Init, 1, 900, 0),
            container(Role::App, 1, 900, 0),
        ])
    };
    let placement = place(&node, &request).expect("a placement");
    let peak = placement.peak(&request);
    assert!(peak.values().all(|amount| amount.memory <= 1000), "{peak:?}");
    // Beside the sidecar a whole device does not fit, and before it it does.
    assert_eq!(placement.containers[0][0].1.memory, 1000);
}

#[test]
fn two_containers_of_a_pod_may_share_a_device() {
    let request = pod(vec![container(Role::App, 1, 500, 50), container(Role::App, 1, 500, 50)]);
    assert_eq!(devices(&used(&[amount(0, 0, 0)]), &request), [[0], [0]]);
    let too_much = pod(vec![container(Role::App, 1, 500, 50), container(Role::App, 1, 501, 50)]);
    assert_eq!(refusal(&used(&[amount(0, 0, 0)]), &too_much), Refusal::Together);
}

#[test]
fn a_refusal_says_what_is_in_the_way_and_of_how_many() {
    let mut node = used(&[amount(1, 900, 0), amount(1, 900, 0), amount(0, 0, 0), amount(0, 0, 0)]);
    node.devices[2].state = State::Unhealthy;
    let refusal = refusal(&node, &app(2, 200, 0));
    assert_eq!(refusal.phrase(), "Insufficient vGPU memory");
    let said =
        "container main wants 2 GPUs and could have 1: GPU unhealthy (1), Insufficient vGPU memory (2)";
    assert_eq!(refusal.to_string(), said);
}

#[test]
fn of_obstacles_that_are_as_frequent_the_one_that_is_tested_first_is_said() {
    let mut node = used(&[amount(1, 900, 0), amount(0, 0, 0)]);
    node.devices[1].state = State::Mig;
    assert_eq!(refusal(&node, &app(1, 200, 0)).phrase(), "GPU has MIG enabled");
    assert_eq!(refusal(&used(&[amount(0, 0, 0)]), &app(2, 1, 0)).phrase(), "Insufficient GPU cards");
}

#[test]
fn models_and_devices_are_chosen_by_parts_of_their_names() {
    let mut node = used(&[amount(0, 0, 0), amount(0, 0, 0)]);
    node.devices[1].model = "NVIDIA A100-SXM4-40GB".to_owned();
    let chosen = |selection| {
        let request = PodRequest { selection, ..app(1, 1, 0) };
        place(&node, &request)
            .map(|placement| placement.containers[0][0].0)
            .map_err(|refusal| refusal.phrase())
    };
    let words = |word: &str| vec![word.to_owned()];
    assert_eq!(chosen(Selection { models: words("a100"), ..Selection::default() }), Ok(1));
    assert_eq!(chosen(Selection { models: words(""), ..Selection::default() }), Ok(0));
    let longer = "x".repeat(100);
    assert_eq!(
        chosen(Selection { models: words(&longer), ..Selection::default() }),
        Err("GPU type mismatch")
    );
    assert_eq!(chosen(Selection { not_models: words("h100"), ..Selection::default() }), Ok(1));
    assert_eq!(chosen(Selection { uuids: words("gpu-1"), ..Selection::default() }), Ok(1));
    let both = Selection { models: words("H100"), not_uuids: words("GPU-0"), ..Selection::default() };
    assert_eq!(chosen(both), Err("GPU type mismatch"));
    assert_eq!(chosen(Selection { uuids: words("GPU-7"), ..Selection::default() }), Err("GPU UUID mismatch"));
}

#[test]
fn physical_memory_is_not_looked_for_where_more_is_given_out() {
    let mut node = used(&[amount(0, 0, 0)]);
    let wants = |memory_kind| PodRequest { memory_kind, ..app(1, 1, 0) };
    assert_eq!(refusal(&node, &wants(MemoryKind::Virtual)), Refusal::MemoryKind(MemoryKind::Virtual));
    node.is_memory_virtual = true;
    assert_eq!(refusal(&node, &wants(MemoryKind::Physical)).phrase(), "node memory type mismatch");
    assert_eq!(fits(&node, &wants(MemoryKind::Any)), Ok(()));
}

#[test]
fn who_wants_no_time_is_not_refused_because_others_have_too_much() {
    let node = node(vec![Device { used: amount(2, 1, 200), ..device(0) }]);
    assert_eq!(fits(&node, &app(1, 1, 0)), Ok(()));
    let obstacles = [(Obstacle::Cores, 1)].into();
    let name = "main".to_owned();
    assert_eq!(refusal(&node, &app(1, 1, 1)), Refusal::Container { name, wanted: 1, fitting: 0, obstacles });
}

#[test]
fn many_that_ask_for_the_same_are_refused_without_a_search() {
    // On each device there is room for one, and nine want one.
    let node = used(&[1, 2, 3, 4, 5, 6, 7, 8].map(|free| amount(1, 1000 - 100 - free, 0)));
    let request = pod((0..9).map(|_| container(Role::App, 1, 60, 0)).collect());
    let mut effort = Effort::shared(0);
    assert_eq!(Question::new(&request).fits(&node, &mut effort), Err(Refusal::Together));
    let mut request = pod((0..4).map(|_| container(Role::App, 2, 60, 0)).collect());
    assert_eq!(Question::new(&request).fits(&node, &mut effort), Ok(()));
    request.containers.push(container(Role::Init, 8, 60, 0));
    assert_eq!(Question::new(&request).fits(&node, &mut effort), Ok(()), "after the others have not begun");
}

#[test]
fn a_node_without_devices_says_so() {
    assert_eq!(refusal(&node(Vec::new()), &app(1, 1, 0)), Refusal::NoDevices);
}

#[test]
fn a_pod_that_is_hard_to_refuse_does_not_use_up_the_time_of_a_whole_cluster() {
    // Nine different containers, each of which takes one of eight different devices.
    let node = used(&[1, 2, 3, 4, 5, 6, 7, 8].map(|free| amount(1, 1000 - 100 - free, 0)));
    let request = pod((0..9).map(|more| container(Role::App, 1, 56 + more, 0)).collect());
    let mut effort = Effort::shared(1000);
    let mut refusals = Vec::new();
    for _ in 0..200 {
        refusals.push(Question::new(&request).fits(&node, &mut effort).unwrap_err());
    }
    assert!(refusals.iter().all(|refusal| *refusal == Refusal::Effort), "{refusals:?}");
    // One that fits is found all the same.
    assert_eq!(Question::new(&pod(request.containers[..8].to_vec())).fits(&node, &mut effort), Ok(()));
}
