//! For all small nodes and pods.

use placement::{
    Amount, ContainerRequest, Cores, Device, Effort, Memory, Node, PodRequest, Policy, Question, Role, State,
    score,
};
use proptest::prelude::*;

use crate::brute::can_place;
use crate::scene::{amount, device, fits, node, place};

fn amounts() -> impl Strategy<Value = Amount> {
    let used = (0_u64..=3, 0_u64..=4, 0_u64..=4).prop_map(|(slots, memory, cores)| match slots {
        0 => Amount::default(),
        _ => amount(slots, memory * 250, cores * 25),
    });
    prop_oneof![9 => used, 1 => Just(Amount { is_exclusive: true, ..amount(1, 100, 100) })]
}

fn nodes() -> impl Strategy<Value = Node> {
    let device = |index| {
        (amounts(), prop_oneof![9 => Just(State::Usable), 1 => Just(State::Unhealthy)], 2_u64..=4).prop_map(
            move |(used, state, slots)| Device {
                used,
                state,
                capacity: amount(slots, 1000, 100),
                ..device(index)
            },
        )
    };
    prop_oneof![
        [device(0)].prop_map(Vec::from),
        [device(0), device(1), device(2)].prop_map(Vec::from),
        [device(0), device(1), device(2), device(3)].prop_map(Vec::from),
    ]
    .prop_map(node)
}

fn containers() -> impl Strategy<Value = ContainerRequest> {
    let role = prop_oneof![3 => Just(Role::App), 1 => Just(Role::Sidecar), 1 => Just(Role::Init)];
    let memory = prop_oneof![
        6 => (1_u64..=4).prop_map(|quarters| Memory::Units(quarters * 250)),
        1 => Just(Memory::Percent(50)),
        1 => Just(Memory::Whole),
    ];
    let cores = prop_oneof![
        2 => Just(Cores::Unlimited),
        3 => (1_u64..=4).prop_map(|quarters| Cores::Percent(quarters * 25)),
        1 => Just(Cores::Alone),
    ];
    (role, 1_usize..=3, memory, cores).prop_map(|(role, count, memory, cores)| ContainerRequest {
        name: "main".to_owned(),
        role,
        count,
        memory,
        cores,
    })
}

fn pods() -> impl Strategy<Value = PodRequest> {
    let policy = prop_oneof![Just(Policy::None), Just(Policy::Binpack), Just(Policy::Spread)];
    // Kubernetes starts init containers, sidecars among them, before the others.
    let in_order = |mut containers: Vec<ContainerRequest>| {
        containers.sort_by_key(|container| container.role == Role::App);
        containers
    };
    (prop::collection::vec(containers(), 1..=3), policy).prop_map(move |(containers, policy)| PodRequest {
        containers: in_order(containers),
        policy,
        ..PodRequest::default()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn what_brute_force_places_is_placed_and_nothing_else(node in nodes(), request in pods()) {
        prop_assert_eq!(place(&node, &request).is_ok(), can_place(&node, &request));
    }

    #[test]
    fn the_filter_and_the_choice_agree(node in nodes(), request in pods()) {
        prop_assert_eq!(fits(&node, &request).err(), place(&node, &request).err());
    }

    #[test]
    fn no_placement_exceeds_a_device(node in nodes(), request in pods()) {
        let Ok(placement) = place(&node, &request) else { return Ok(()) };
        for (container, held) in request.containers.iter().zip(&placement.containers) {
            prop_assert_eq!(held.len(), container.count);
            let different: std::collections::BTreeSet<usize> = held.iter().map(|(device, _)| *device).collect();
            prop_assert_eq!(different.len(), container.count);
        }
        for (device, peak) in placement.peak(&request) {
            let device = &node.devices[device];
            prop_assert_eq!(device.state, State::Usable);
            prop_assert_eq!(peak.fits_beside(device.used, device.capacity), Ok(()));
        }
    }

    #[test]
    fn the_same_question_has_the_same_answer(node in nodes(), request in pods()) {
        prop_assert_eq!(place(&node, &request), place(&node, &request));
    }

    #[test]
    fn a_question_that_has_been_asked_elsewhere_has_the_same_answer(
        nodes in prop::collection::vec(nodes(), 1..4),
        request in pods(),
    ) {
        let mut question = Question::new(&request);
        for node in &nodes {
            prop_assert_eq!(question.place(node, &mut Effort::default()), place(node, &request));
            prop_assert_eq!(question.fits(node, &mut Effort::default()), fits(node, &request));
        }
    }

    #[test]
    fn the_score_follows_the_use(node in nodes(), more in amounts(), at in 0_usize..4) {
        let mut fuller = node.clone();
        let at = at % fuller.devices.len();
        fuller.devices[at].used = fuller.devices[at].used.plus(more);
        let scores = |policy| [&node, &fuller].map(|node| score(node, &std::collections::BTreeMap::new(), policy));
        let [before, after] = scores(Policy::Binpack);
        prop_assert!(before <= after);
        let [before, after] = scores(Policy::Spread);
        prop_assert!(before >= after);
        prop_assert_eq!(scores(Policy::None), [0, 0]);
    }
}
