use super::*;
use crate::extender::patience::TRIES;
use crate::extender::wire::{FilterAnswer, FilterRequest};
use crate::watch::Hearing;
use scene::asks;

/// A hundred full nodes, and one with room, beside an extender that kube-scheduler asks of a part of its nodes.
fn sampled() -> (Extender, Vec<String>) {
    let mut world = World::new();
    let full: Vec<String> = (0..100).map(|index| format!("n{index}")).collect();
    full.iter().for_each(|name| world.node(name, &[10]));
    world.node("other", &[1000]);
    (extender(world, Hearing::Clear), full)
}

fn request<'a>(uid: &str, offered: &'a [String]) -> FilterRequest<'a> {
    let names = offered.iter().map(|name| Cow::Borrowed(name.as_str())).collect();
    FilterRequest { pod: Some(parsed(&scene::pod(uid, &asks(1, 100, 0)))), offer: Offer::Names(names) }
}

fn is_tried_again(answer: &FilterAnswer<'_>) -> bool {
    !answer.error.is_empty()
}

#[tokio::test]
async fn a_pod_that_is_never_offered_the_node_that_fits_is_told_in_the_end_what_is_wrong_with_the_others() {
    let (extender, full) = sampled();
    for _ in 0..2 {
        for _ in 0..TRIES {
            assert!(is_tried_again(&extender.filter(request("p", &full))));
        }
        let verdict = extender.filter(request("p", &full));
        assert!(verdict.fits_nowhere());
        assert_eq!(verdict.failed_nodes.0.len(), 100);
        // When kube-scheduler tries it after that, something has happened.
    }
    assert!(is_tried_again(&extender.filter(request("q", &full))), "each pod for itself");
}

#[tokio::test]
async fn who_was_offered_a_node_that_fits_is_tried_as_often_after_that() {
    let (extender, full) = sampled();
    for _ in 1..TRIES {
        assert!(is_tried_again(&extender.filter(request("p", &full))));
    }
    assert!(!is_tried_again(&extender.filter(request("p", &["other".to_owned()]))));
    for _ in 0..TRIES {
        assert!(is_tried_again(&extender.filter(request("p", &full))));
    }
    assert!(!is_tried_again(&extender.filter(request("p", &full))));
}

#[tokio::test]
async fn whoever_only_wants_to_know_takes_nobody_a_try() {
    let (extender, full) = sampled();
    for _ in 0..=TRIES {
        assert!(is_tried_again(&extender.try_out(request("p", &full))));
    }
    assert!(is_tried_again(&extender.filter(request("p", &full))));
}
