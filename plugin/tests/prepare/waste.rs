//! What is left behind goes, and nothing else.

use std::fs;
use std::os::unix::fs::symlink;

use kube::runtime::watcher::Event;

use crate::node::{A, Node, RESOURCE};

fn count(node: &Node, dir: &str) -> usize {
    fs::read_dir(node.path(dir)).unwrap().count()
}

fn things(node: &Node) -> [usize; 3] {
    ["cdi", "state/claims", "state/containers"].map(|dir| count(node, dir))
}

#[tokio::test]
async fn what_a_pod_leaves_goes_at_the_second_look_and_what_others_have_stays() {
    let mut node = Node::new();
    for pod in ["p", "q"] {
        node.usual_pod(pod, A, 1);
        let held = node.allocate(pod, "main", &[pod]);
        node.start(&held).await.unwrap();
    }
    node.preparer.collect().await.unwrap();
    node.preparer.collect().await.unwrap();
    assert_eq!(things(&node), [2; 3]);
    let gone = node.record.remove(0);
    node.write_record();
    node.pods.note(Event::Init, RESOURCE);
    node.pods.note(Event::InitDone, RESOURCE);
    node.preparer.collect().await.unwrap();
    assert_eq!(things(&node), [2; 3]);
    node.preparer.collect().await.unwrap();
    assert_eq!(things(&node), [1; 3]);
    assert_eq!(node.edits(&gone), None);
    assert!(node.edits(&node.record[0]).is_some());
}

#[tokio::test]
async fn nothing_goes_while_the_pods_of_the_node_or_kubelets_record_are_not_known() {
    let mut node = Node::new();
    node.usual_pod("p", A, 1);
    let held = node.allocate("p", "main", &["p"]);
    node.start(&held).await.unwrap();
    node.restart_without_api();
    node.record.clear();
    node.write_record();
    for _ in 0..3 {
        node.preparer.collect().await.unwrap();
    }
    node.pods.note(Event::InitDone, RESOURCE);
    fs::remove_file(node.path("kubelet_internal_checkpoint")).unwrap();
    for _ in 0..3 {
        node.preparer.collect().await.unwrap();
    }
    fs::write(node.path("kubelet_internal_checkpoint"), "{").unwrap();
    node.preparer.collect().await.unwrap_err();
    assert_eq!(things(&node), [1; 3]);
}

#[tokio::test]
async fn files_of_others_stay() {
    let node = Node::new();
    fs::write(node.path("cdi/nvidia.yaml"), "theirs").unwrap();
    fs::write(node.path("state/containers/note"), "an admin's").unwrap();
    for _ in 0..3 {
        node.preparer.collect().await.unwrap();
    }
    assert_eq!(things(&node), [1, 0, 1]);
}

#[tokio::test]
async fn an_old_library_goes_when_no_container_has_it_any_more() {
    let mut node = Node::new();
    node.usual_pod("p", A, 1);
    let held = node.allocate("p", "main", &["p"]);
    node.start(&held).await.unwrap();
    for version in ["2", "3"] {
        fs::create_dir(node.path("lib").join(version)).unwrap();
        fs::write(node.path("lib").join(version).join("libvgpu.so"), version).unwrap();
    }
    fs::remove_file(node.path("lib/current")).unwrap();
    symlink("3", node.path("lib/current")).unwrap();
    let versions = |node: &Node| ["1", "2", "3"].map(|version| node.path("lib").join(version).exists());
    for expected in [[true; 3], [true, false, true]] {
        node.preparer.collect().await.unwrap();
        assert_eq!(versions(&node), expected);
    }
    // Its next run has the new one.
    node.start(&held).await.unwrap();
    for expected in [[true, false, true], [false, false, true]] {
        node.preparer.collect().await.unwrap();
        assert_eq!(versions(&node), expected);
    }
    fs::remove_file(node.path("lib/current")).unwrap();
    node.preparer.collect().await.unwrap_err();
    assert_eq!(versions(&node), [false, false, true]);
}
