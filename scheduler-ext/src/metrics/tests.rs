use std::borrow::Cow;

use super::*;
use crate::leader::Leader;
use crate::ledger::tests::scene::{self, World};

fn metrics() -> Metrics {
    let mut world = World::new();
    world.node("b", &[1000]);
    world.node("a", &[2048, 1000]);
    world.assume("p", "a", &scene::asks(1, 512, 30)).unwrap();
    led_by(&Arc::default(), world)
}

fn led_by(leader: &Arc<Leader>, world: World) -> Metrics {
    Metrics::with(SharedLedger::new(world.ledger), |registry| {
        registry.register_collector(Box::new(Leading(Arc::clone(leader))));
    })
}

#[test]
fn what_was_asked_is_counted() {
    let metrics = metrics();
    let start = Instant::now();
    metrics.answered(Verb::Filter, false);
    metrics.answered(Verb::Bind, true);
    metrics.took(Verb::Bind, Stage::LookUp, start);
    metrics.bound("bound");
    metrics.victims_added(2);
    let text = metrics.text().unwrap();
    for line in [
        r#"vgpu_scheduler_requests_total{verb="filter",outcome="ok"} 1"#,
        r#"vgpu_scheduler_requests_total{verb="bind",outcome="error"} 1"#,
        r#"vgpu_scheduler_request_duration_seconds_count{verb="bind",stage="look-up"} 1"#,
        r#"vgpu_scheduler_binds_total{outcome="bound"} 1"#,
        "vgpu_scheduler_preemption_victims_added_total 2",
    ] {
        assert!(text.lines().any(|other| other == line), "{line} in\n{text}");
    }
}

#[test]
fn a_pods_own_words_are_no_label() {
    let metrics = metrics();
    let reason = |text: &'static str| ("n".into(), Cow::Borrowed(text));
    let own = ("n".into(), Cow::Owned("container \"}x".to_owned()));
    metrics.refused(&Reasons(vec![reason("GPU in use"), own, reason("GPU in use")]));
    let text = metrics.text().unwrap();
    assert!(text.contains(r#"vgpu_scheduler_node_rejections_total{reason="GPU in use"} 2"#), "{text}");
    assert!(text.contains(r#"vgpu_scheduler_node_rejections_total{reason="request invalid"} 1"#), "{text}");
}

#[test]
fn gpus_are_shown_as_the_ledger_has_them() {
    let text = metrics().text().unwrap();
    let gpu = format!(r#"{{node="a",gpu_uuid="{}",model="NVIDIA H100 80GB HBM3"}}"#, scene::uuid(0));
    for (name, value) in [
        ("memory_claimable_bytes", "2147483648.0"),
        ("memory_claimed_bytes", "536870912.0"),
        ("compute_claimable_ratio", "1.0"),
        ("compute_claimed_ratio", "0.3"),
        ("containers_max", "10.0"),
        ("containers", "1.0"),
        ("usable", "1.0"),
    ] {
        let line = format!("vgpu_scheduler_gpu_{name}{gpu} {value}");
        assert!(text.lines().any(|other| other == line), "{line} in\n{text}");
    }
}

/// The page of the book.
const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/scheduler.md");

#[test]
fn the_book_has_every_metric_and_no_other() {
    let metrics = metrics();
    // What was never counted is not shown.
    metrics.answered(Verb::Filter, false);
    metrics.took(Verb::Filter, Stage::Total, Instant::now());
    metrics.refused(&Reasons(vec![("n".into(), Cow::Borrowed("GPU in use"))]));
    metrics.bound("bound");
    let text = metrics.text().unwrap();
    let exported = text.lines().filter_map(|line| line.strip_prefix("# TYPE ")?.split(' ').next());
    let mut exported: Vec<&str> = exported.collect();
    let page = std::fs::read_to_string(PAGE).unwrap();
    let rows = page.lines().filter_map(|line| line.strip_prefix("| `vgpu_scheduler_")?.split('`').next());
    let mut written: Vec<String> = rows.map(|name| format!("vgpu_scheduler_{name}")).collect();
    exported.sort_unstable();
    written.sort_unstable();
    assert_eq!(exported, written);
}

#[test]
fn who_leads_is_told() {
    let leader = Arc::default();
    let metrics = led_by(&leader, World::new());
    assert!(metrics.text().unwrap().contains("\nvgpu_scheduler_leading 0\n"));
    leader.lead();
    assert!(metrics.text().unwrap().contains("\nvgpu_scheduler_leading 1\n"));
}
