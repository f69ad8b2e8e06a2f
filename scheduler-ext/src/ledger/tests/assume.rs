//! Reservations.

use placement::Refusal;
use serde_json::json;

use super::super::*;
use super::scene::{self, World, asks};

#[test]
fn what_is_assumed_is_used_until_it_is_released() {
    let mut world = World::new();
    world.node("n", &[1000, 1000]);
    let claim = world.assume("a", "n", &asks(1, 600, 30)).unwrap().claim;
    assert_eq!(claim.node(), "n");
    assert_eq!(world.used("n"), [(1, 600, 30), (0, 0, 0)]);
    let again = world.assume("a", "n", &asks(1, 600, 30)).unwrap();
    assert_eq!((again.claim, again.earlier), (claim, Some(State::Assumed)));
    assert_eq!(world.used("n"), [(1, 600, 30), (0, 0, 0)]);
    world.ledger.release(&"a".parse().unwrap());
    assert_eq!(world.used("n"), [(0, 0, 0); 2]);
}

#[test]
fn a_pod_is_on_one_node() {
    let mut world = World::new();
    world.node("n", &[1000]);
    world.node("m", &[1000]);
    world.assume("a", "n", &asks(1, 600, 30)).unwrap();
    let error = world.assume("a", "m", &asks(1, 600, 30)).unwrap_err();
    assert_eq!(error.to_string(), "the pod has its GPUs on node n already");
    assert_eq!(world.used("m"), [(0, 0, 0)]);
}

#[test]
fn of_many_that_want_the_only_room_one_gets_it() {
    let mut world = World::new();
    world.node("n", &[1000]);
    let got = (0..50).filter(|pod| world.assume(&format!("p{pod}"), "n", &asks(1, 501, 0)).is_ok()).count();
    assert_eq!((got, world.used("n")), (1, vec![(1, 501, 0)]));
}

#[test]
fn what_is_refused_changes_nothing() {
    let mut world = World::new();
    world.node("n", &[1000]);
    world.assume("a", "n", &asks(1, 600, 30)).unwrap();
    let before = format!("{:?}", world.ledger.view("n"));
    for ask in [asks(1, 401, 0), asks(2, 1, 0), asks(1, 1, 71)] {
        assert!(matches!(world.assume("b", "n", &ask), Err(AssumeError::Refused(_))));
    }
    assert!(matches!(world.assume("b", "m", &asks(1, 1, 1)), Err(AssumeError::Node(NodeFault::Unknown))));
    assert_eq!(format!("{:?}", world.ledger.view("n")), before);
    assert_eq!(world.ledger.holdings("n").count(), 1);
}

#[test]
fn a_pod_of_the_watch_is_the_one_that_was_assumed() {
    let mut world = World::new();
    world.node("n", &[1000]);
    let claim = world.assume("a", "n", &asks(1, 600, 30)).unwrap().claim;
    world.ledger.confirm(&"a".parse().unwrap());
    world.pod(&scene::bound("a", &asks(1, 600, 30), &claim, "Pending"));
    world.ledger.release(&"a".parse().unwrap());
    assert_eq!(world.used("n"), [(1, 600, 30)]);
    world.gone("a");
    assert_eq!(world.used("n"), [(0, 0, 0)]);
}

#[test]
fn a_pod_that_another_scheduler_has_bound_elsewhere_is_there() {
    let mut world = World::new();
    world.node("n", &[1000]);
    world.node("m", &[1000]);
    world.assume("a", "n", &asks(1, 600, 30)).unwrap();
    world.pod(&scene::bound("a", &asks(1, 600, 30), &scene::claim("a", "m", &[(0, 600, 30)]), "Pending"));
    assert_eq!((world.used("n"), world.used("m")), (vec![(0, 0, 0)], vec![(1, 600, 30)]));
    world.ledger.release(&"a".parse().unwrap());
    assert_eq!(world.used("m"), [(1, 600, 30)]);
}

#[test]
fn two_containers_that_would_fit_alone_are_refused_together() {
    let mut world = World::new();
    world.node("n", &[1000]);
    let ask = world.ask_of(&[("one", asks(1, 600, 0)), ("two", asks(1, 600, 0))]);
    let facts = scene::facts("a");
    let refused = world.ledger.assume(&facts, &ask, "n");
    assert_eq!(refused, Err(AssumeError::Refused(Refusal::Together)));
}

#[test]
fn percent_of_memory_is_of_the_card_that_is_given() {
    let mut world = World::new();
    world.node("n", &[1000]);
    world.node("m", &[4000]);
    let tenth = json!({"nvidia.com/vgpu-number": "1", "nvidia.com/vgpu-memory-percentage": "10"});
    world.assume("a", "n", &tenth).unwrap();
    world.assume("b", "m", &tenth).unwrap();
    assert_eq!((world.used("n"), world.used("m")), (vec![(1, 100, 0)], vec![(1, 400, 0)]));
}

#[test]
fn claims_of_stale_annotations_hold_nothing_and_are_no_way_around_the_test() {
    let mut world = World::new();
    world.node("n", &[1000]);
    world.assume("a", "n", &asks(1, 1000, 0)).unwrap();
    // A pod that is not bound carries a claim from a dry run, or a copied one.
    let mut pod = scene::bound("b", &asks(1, 600, 0), &scene::claim("b", "n", &[(0, 600, 0)]), "Pending");
    pod["spec"]["nodeName"] = json!(null);
    world.pod(&pod);
    assert_eq!(world.used("n"), [(1, 1000, 0)]);
    assert!(world.assume("b", "n", &asks(1, 600, 0)).is_err());
}
