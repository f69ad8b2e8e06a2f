//! Who gets what, and who gets nothing.

use std::fs;
use std::os::unix::fs::symlink;

use contract::env::Priority;
use contract::limits_page::SharePolicy;
use contract::paths;

use crate::node::{A, B, NODE, Node, claim, host};

fn one(gpu: &str, memory: u64) -> Option<Vec<(String, u64)>> {
    Some(vec![(gpu.to_owned(), memory)])
}

#[tokio::test]
async fn a_container_gets_its_gpu_its_limits_and_the_library() {
    let mut node = Node::new();
    node.usual_pod("p", B, 300);
    let held = node.allocate("p", "main", &["GPU-other::3"]);
    assert_eq!(node.edits(&held), None);
    node.start(&held).await.unwrap();
    let edits = node.edits(&held).unwrap();
    assert_eq!(
        edits.device_nodes.iter().map(|device| device.path.as_str()).collect::<Vec<_>>(),
        ["/dev/nvidia1"]
    );
    assert_eq!(node.limits(&held), one(B, 300));
    let library = host(&edits, paths::CONTAINER_LIBRARY);
    assert!(library.ends_with("lib/1/libvgpu.so"), "{library}");
    assert_eq!(fs::read_to_string(host(&edits, paths::PRELOAD)).unwrap().trim(), paths::CONTAINER_LIBRARY);
    assert!(fs::metadata(host(&edits, paths::CONTAINER_REGION)).unwrap().is_file());
}

#[tokio::test]
async fn an_init_container_and_the_one_that_gets_its_ids_get_their_own() {
    let mut node = Node::new();
    let containers = [("setup", true, 1), ("main", false, 1), ("side", false, 1)];
    let slices: &[(&str, &[(&str, u32)])] =
        &[("setup", &[(A, 100)]), ("main", &[(A, 200)]), ("side", &[(B, 300)])];
    node.pod("p", &containers, &[claim("p", slices)]);
    let setup = node.allocate("p", "setup", &["x"]);
    let main = node.allocate("p", "main", &["x"]);
    let side = node.allocate("p", "side", &["y"]);
    node.start(&setup).await.unwrap();
    assert_eq!((node.limits(&setup), node.limits(&main)), (one(A, 100), one(A, 200)));
    assert_eq!(node.edits(&side), None);
    node.start(&side).await.unwrap();
    node.start(&main).await.unwrap();
    let all = [&setup, &main, &side].map(|held| node.limits(held));
    assert_eq!(all, [one(A, 100), one(A, 200), one(B, 300)]);
}

#[tokio::test]
async fn ten_pods_at_once_each_get_what_they_were_given_however_kubelet_asks() {
    let mut node = Node::new();
    let mut all = Vec::new();
    for number in (1..=10_u32).rev() {
        let uid = format!("p{number}");
        node.usual_pod(&uid, if number % 2 == 0 { A } else { B }, number * 10);
        all.push((number, node.allocate(&uid, "main", &[&format!("id{}", 10 - number)])));
    }
    let starts = all.iter().rev().map(|(_, held)| node.start(held));
    for result in futures_util::future::join_all(starts).await {
        result.unwrap();
    }
    for (number, held) in &all {
        assert_eq!(node.limits(held).unwrap()[0].1, u64::from(*number) * 10);
    }
}

/// Each claim is refused with a reason, and once it is right the container starts.
#[tokio::test]
async fn a_claim_that_is_not_right_is_refused_with_the_reason_until_it_is() {
    let right = claim("p", &[("main", &[(A, 100)])]);
    let (key, text) = right.clone();
    let other_node = text.replace(NODE, "n2");
    let table = [
        (vec![], "the pod has no claim (annotation nvidia.com/vgpu-claim)"),
        (vec![(key, "8Gi".to_owned())], "annotation nvidia.com/vgpu-claim: it is not JSON"),
        (vec![claim("q", &[("main", &[(A, 100)])])], "the claim is of pod q, and this is another pod"),
        (vec![(key, other_node)], "the claim is for node \"n2\", and this is node \"n1\""),
        (
            vec![claim("p", &[("side", &[(A, 100)])])],
            "the claim names container side, which the pod does not have",
        ),
        (
            vec![claim("p", &[("main", &[(A, 1), (B, 1)])])],
            "container main asks for 1 devices and the claim has 2 for it",
        ),
        (
            vec![claim("p", &[("main", &[("GPU-00000000-0000-0000-0000-0000000000cc", 1)])])],
            "the claim is for GPU-0000",
        ),
        (
            vec![claim("p", &[("main", &[(A, 1001)])])],
            "GPU-00000000-0000-0000-0000-00000000000a: the claim is for 1001 MiB",
        ),
        (
            vec![right.clone(), ("nvidia.com/vgpu-compute-policy", "most".to_owned())],
            "annotation nvidia.com/vgpu-compute-policy is \"most\"",
        ),
    ];
    for (annotations, reason) in table {
        let mut node = Node::new();
        node.pod("p", &[("main", false, 1)], &annotations);
        let held = node.allocate("p", "main", &["x"]);
        let refusal = node.start(&held).await.unwrap_err();
        assert!(refusal.starts_with(reason), "{refusal}");
        assert_eq!(node.edits(&held), None, "{reason}");
        node.pod("p", &[("main", false, 1)], std::slice::from_ref(&right));
        node.start(&held).await.unwrap();
        assert_eq!(node.limits(&held), one(A, 100), "{reason}");
    }
}

#[tokio::test]
async fn what_does_not_resolve_is_refused_and_nothing_is_made() {
    let mut node = Node::new();
    node.usual_pod("p", A, 1);
    let mut held = node.allocate("p", "main", &["x"]);
    held.ids = vec!["y".to_owned()];
    let refusal = node.start(&held).await.unwrap_err();
    assert_eq!(refusal, "no container in kubelet's checkpoint holds exactly y");
    fs::remove_file(node.path("kubelet_internal_checkpoint")).unwrap();
    let refusal = node.start(&held).await.unwrap_err();
    assert!(refusal.contains("kubelet_internal_checkpoint: No such file"), "{refusal}");
    assert_eq!(node.edits(&held), None);
}

#[tokio::test]
async fn claims_together_never_exceed_a_gpu_and_what_goes_makes_room() {
    let mut node = Node::new();
    node.usual_pod("p", A, 600);
    node.usual_pod("q", A, 401);
    let first = node.allocate("p", "main", &["x"]);
    let second = node.allocate("q", "main", &["y"]);
    node.start(&first).await.unwrap();
    let refusal = node.start(&second).await.unwrap_err();
    assert!(refusal.contains("the claim is for 401 MiB, other pods have 600 MiB, of 1000 MiB"), "{refusal}");
    node.gone("p");
    node.start(&second).await.unwrap();
}

#[tokio::test]
async fn a_pod_that_has_gone_counts_no_more_though_kubelet_has_not_written_its_record_since() {
    let mut node = Node::new();
    node.usual_pod("p", A, 600);
    let first = node.allocate("p", "main", &["x"]);
    node.start(&first).await.unwrap();
    node.gone("p");
    node.usual_pod("q", A, 1000);
    let second = node.allocate("q", "main", &["y"]);
    assert_eq!(node.record.len(), 2);
    node.start(&second).await.unwrap();
}

#[tokio::test]
async fn while_the_api_server_is_away_kubelets_record_says_who_lives() {
    let mut node = Node::new();
    node.usual_pod("p", A, 600);
    let first = node.allocate("p", "main", &["x"]);
    node.start(&first).await.unwrap();
    node.restart_without_api();
    // Watched again, but not listed yet.
    node.usual_pod("q", A, 401);
    let second = node.allocate("q", "main", &["y"]);
    assert!(node.start(&second).await.unwrap_err().contains("other pods have 600 MiB"));
    node.record.remove(0);
    node.write_record();
    node.start(&second).await.unwrap();
}

#[tokio::test]
async fn a_container_starts_again_while_the_api_server_is_away() {
    let mut node = Node::new();
    node.usual_pod("p", A, 100);
    let held = node.allocate("p", "main", &["x"]);
    node.start(&held).await.unwrap();
    fs::remove_dir_all(node.path("cdi")).unwrap();
    node.restart_without_api();
    node.start(&held).await.unwrap();
    assert_eq!(node.limits(&held), one(A, 100));
}

#[tokio::test]
async fn the_first_accepted_claim_rules_whatever_is_written_later() {
    let mut node = Node::new();
    node.usual_pod("p", A, 100);
    let held = node.allocate("p", "main", &["x"]);
    node.start(&held).await.unwrap();
    node.usual_pod("p", A, 900);
    node.start(&held).await.unwrap();
    assert_eq!(node.limits(&held), one(A, 100));
}

#[tokio::test]
async fn a_kept_claim_that_cannot_be_read_or_is_anothers_is_asked_of_the_api_again() {
    for spoilt in ["{", "", r#"{"version":2}"#] {
        let mut node = Node::new();
        node.usual_pod("p", A, 100);
        let held = node.allocate("p", "main", &["x"]);
        node.start(&held).await.unwrap();
        fs::write(node.path("state/claims/p.json"), spoilt).unwrap();
        node.restart_without_api();
        node.usual_pod("p", A, 100);
        node.start(&held).await.unwrap();
        assert_eq!(node.limits(&held), one(A, 100));
        fs::copy(node.path("state/claims/p.json"), node.path("state/claims/q.json")).unwrap();
        node.restart_without_api();
        node.usual_pod("q", B, 200);
        let other = node.allocate("q", "main", &["y"]);
        node.start(&other).await.unwrap();
        assert_eq!(node.limits(&other), one(B, 200));
    }
}

#[tokio::test]
async fn a_gpu_that_cannot_be_used_is_refused_until_it_can() {
    let mut node = Node::new();
    node.usual_pod("p", A, 100);
    let held = node.allocate("p", "main", &["x"]);
    node.start(&held).await.unwrap();
    node.cards.lock().unwrap()[0].fault = Some("XID 79".to_owned());
    assert_eq!(
        node.start(&held).await.unwrap_err(),
        format!("{A} cannot be used now: XID 79 (another node may do)")
    );
    node.cards.lock().unwrap()[0].fault = None;
    node.start(&held).await.unwrap();
}

#[tokio::test]
async fn the_policy_is_the_pods_or_else_the_nodes() {
    let mut node = Node::new();
    node.preparer.set_policy(SharePolicy::Balance).await;
    node.usual_pod("p", A, 1);
    let annotations =
        [claim("q", &[("main", &[(A, 1)])]), ("nvidia.com/vgpu-compute-policy", "none".to_owned())];
    node.pod("q", &[("main", false, 1)], &annotations);
    for (pod, policy) in [("p", SharePolicy::Balance), ("q", SharePolicy::Unlimited)] {
        let held = node.allocate(pod, "main", &[pod]);
        node.start(&held).await.unwrap();
        assert_eq!(node.page(&held).unwrap().entries()[0].policy, policy);
    }
}

#[tokio::test]
async fn the_priority_is_the_pods_also_when_the_agent_is_started_anew() {
    let mut node = Node::new();
    let annotations =
        |pod| [claim(pod, &[("main", &[(A, 1)])]), ("nvidia.com/vgpu-priority", "0".to_owned())];
    node.pod("high", &[("main", false, 1)], &annotations("high"));
    node.usual_pod("usual", A, 1);
    let wrong = [claim("wrong", &[("main", &[(A, 1)])]), ("nvidia.com/vgpu-priority", "high".to_owned())];
    node.pod("wrong", &[("main", false, 1)], &wrong);
    let held = node.allocate("wrong", "main", &["wrong"]);
    assert_eq!(
        node.start(&held).await.unwrap_err(),
        "annotation nvidia.com/vgpu-priority is \"high\": write a whole number, 0 for high or 1 for low"
    );
    let high = node.allocate("high", "main", &["high"]);
    let usual = node.allocate("usual", "main", &["usual"]);
    for _ in 0..2 {
        for (held, priority) in [(&high, 0), (&usual, 1)] {
            node.start(held).await.unwrap();
            assert_eq!(node.page(held).unwrap().entries()[0].priority, Priority(priority));
        }
        fs::remove_dir_all(node.path("state/containers/high_main")).unwrap();
        node.restart_without_api();
    }
}

#[tokio::test]
async fn a_link_in_the_place_of_a_containers_files_is_not_followed() {
    let mut node = Node::new();
    node.usual_pod("p", A, 1);
    let held = node.allocate("p", "main", &["x"]);
    let target = node.path("target");
    fs::create_dir(&target).unwrap();
    symlink(&target, node.path("state/containers/p_main")).unwrap();
    let refusal = node.start(&held).await.unwrap_err();
    assert!(refusal.contains("state/containers/p_main"), "{refusal}");
    assert_eq!(fs::read_dir(&target).unwrap().count(), 0);
}

#[tokio::test]
async fn without_a_library_or_a_driver_nothing_starts() {
    let mut node = Node::new();
    node.usual_pod("p", A, 1);
    let held = node.allocate("p", "main", &["x"]);
    fs::rename(node.path("lib"), node.path("lib-away")).unwrap();
    assert!(node.start(&held).await.unwrap_err().starts_with("the library is not installed"));
    fs::rename(node.path("lib-away"), node.path("lib")).unwrap();
    fs::rename(node.path("driver"), node.path("driver-away")).unwrap();
    assert!(node.start(&held).await.unwrap_err().starts_with("no CDI spec of kind nvidia.com/gpu in"));
    fs::rename(node.path("driver-away"), node.path("driver")).unwrap();
    node.start(&held).await.unwrap();
}
